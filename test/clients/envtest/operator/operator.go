// Package operator is an operator as kubebuilder lays it out: a kind in two versions with a conversion webhook, defaulting and
// validating webhooks, and a controller with a finalizer, status conditions and an owned object.
package operator

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v2 "trireme/test/clients/envtest/operator/v2"
)

const (
	Finalizer = "plots.example.com/land"
	Ready     = "Ready"
	Protected = "plots.example.com/protected"
	maxPlots  = 100
	manyPlots = 50
)

// Land is what lies outside of the cluster: the gardens that have land, by namespace and name.
type Land struct{ taken sync.Map }

func (l *Land) Has(key client.ObjectKey) bool {
	_, has := l.taken.Load(key)
	return has
}

type Reconciler struct {
	client.Client
	Land *Land
}

func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var garden v2.Garden
	if err := r.Get(ctx, request.NamespacedName, &garden); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !garden.DeletionTimestamp.IsZero() {
		r.Land.taken.Delete(request.NamespacedName)
		if controllerutil.RemoveFinalizer(&garden, Finalizer) {
			return ctrl.Result{}, r.Update(ctx, &garden)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&garden, Finalizer) {
		return ctrl.Result{}, r.Update(ctx, &garden)
	}
	r.Land.taken.Store(request.NamespacedName, true)
	plots := garden.Spec.Rows * garden.Spec.Columns
	plan := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: garden.Namespace, Name: garden.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &plan, func() error {
		plan.Data = map[string]string{"plots": strconv.Itoa(int(plots)), "crop": garden.Spec.Crop}
		return controllerutil.SetControllerReference(&garden, &plan, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := client.MergeFrom(garden.DeepCopyObject().(*v2.Garden))
	garden.Status.ObservedGeneration, garden.Status.Rows, garden.Status.Plots = garden.Generation, garden.Spec.Rows, plots
	meta.SetStatusCondition(&garden.Status.Conditions, metav1.Condition{Type: Ready, Status: metav1.ConditionTrue, Reason: "Planted", ObservedGeneration: garden.Generation})
	return ctrl.Result{}, r.Status().Patch(ctx, &garden, before)
}

// Webhooks default and validate gardens in version v2, however they are written.
type Webhooks struct{}

func (Webhooks) Default(_ context.Context, garden *v2.Garden) error {
	if garden.Spec.Crop == "" {
		garden.Spec.Crop = "beans"
	}
	return nil
}

func (Webhooks) ValidateCreate(_ context.Context, garden *v2.Garden) (admission.Warnings, error) {
	plots := garden.Spec.Rows * garden.Spec.Columns
	if plots > maxPlots {
		return nil, fmt.Errorf("%d plots are more than %d", plots, maxPlots)
	}
	if plots > manyPlots {
		return admission.Warnings{fmt.Sprintf("%d plots are many", plots)}, nil
	}
	return nil, nil
}

func (w Webhooks) ValidateUpdate(ctx context.Context, _, garden *v2.Garden) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, garden)
}

func (Webhooks) ValidateDelete(_ context.Context, garden *v2.Garden) (admission.Warnings, error) {
	if garden.Annotations[Protected] != "" {
		return nil, errors.New("the garden is protected")
	}
	return nil, nil
}

// Setup adds the controller and the webhooks to a manager.
func Setup(manager ctrl.Manager, land *Land) error {
	if err := ctrl.NewWebhookManagedBy(manager, &v2.Garden{}).WithDefaulter(Webhooks{}).WithValidator(Webhooks{}).Complete(); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).For(&v2.Garden{}).Owns(&corev1.ConfigMap{}).Complete(&Reconciler{manager.GetClient(), land})
}
