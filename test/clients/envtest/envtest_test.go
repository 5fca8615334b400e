// Package envtest runs controller-runtime's test environment on the assets folder of trireme (KUBEBUILDER_ASSETS).
package envtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const limit = 60 * time.Second

func start(t *testing.T) *rest.Config {
	t.Helper()
	environment := &envtest.Environment{}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	return config
}

// copier keeps a Secret with the data of each ConfigMap that is labelled "copy", owned by it.
type copier struct{ client.Client }

func (r copier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var from corev1.ConfigMap
	if err := r.Get(ctx, request.NamespacedName, &from); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if from.Labels["copy"] == "" || from.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	to := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: from.Namespace, Name: from.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &to, func() error {
		to.StringData = from.Data
		return controllerutil.SetControllerReference(&from, &to, r.Scheme())
	})
	return ctrl.Result{}, err
}

func TestManagerReconciles(t *testing.T) {
	config := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: "copier", LeaderElectionNamespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(copier{manager.GetClient()}); err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := manager.Start(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
	api := kubernetes.NewForConfigOrDie(config)
	for i := range 20 {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i), Labels: map[string]string{"copy": "yes"}}, Data: map[string]string{"n": fmt.Sprint(i)}}
		if _, err := api.CoreV1().ConfigMaps("default").Create(ctx, object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, ctx, func() error {
		for i := range 20 {
			secret, err := api.CoreV1().Secrets("default").Get(ctx, fmt.Sprintf("c%d", i), metav1.GetOptions{})
			if err != nil {
				return err
			}
			if string(secret.Data["n"]) != fmt.Sprint(i) {
				return fmt.Errorf("%s holds %q", secret.Name, secret.Data["n"])
			}
		}
		return nil
	})
	// The copy is made again when somebody deletes it.
	if err := api.CoreV1().Secrets("default").Delete(ctx, "c7", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, ctx, func() error {
		_, err := api.CoreV1().Secrets("default").Get(ctx, "c7", metav1.GetOptions{})
		return err
	})
}

func TestUsersHaveTheirGroups(t *testing.T) {
	environment := &envtest.Environment{}
	if _, err := environment.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	}()
	user, err := environment.AddUser(envtest.User{Name: "jane", Groups: []string{"developers"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubernetes.NewForConfigOrDie(user.Config()).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Fatalf("a user without roles lists secrets: %v", err)
	}
}

func eventually(t *testing.T, ctx context.Context, check func() error) {
	t.Helper()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
