package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	v1 "trireme/test/clients/envtest/operator/v1"
	v2 "trireme/test/clients/envtest/operator/v2"
)

const limit = 2 * time.Minute

// A cluster with the definition and the webhook configurations, and the operator's manager, which serves the webhooks.
type cluster struct {
	client.WithWatch
	t        *testing.T
	config   *rest.Config
	land     *Land
	warnings *warnings
	start    func() (stop func())
}

func newCluster(t *testing.T) *cluster {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme, v2.AddToScheme} {
		must(t, add(scheme))
	}
	environment := &envtest.Environment{
		Scheme:                scheme,
		CRDDirectoryPaths:     []string{"config/crd"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"config/webhook"}},
	}
	rest, err := environment.Start()
	must(t, err)
	t.Cleanup(func() { must(t, environment.Stop()) })
	c := &cluster{t: t, config: rest, land: &Land{}, warnings: &warnings{}}
	rest.WarningHandlerWithContext = c.warnings
	c.WithWatch, err = client.NewWithWatch(rest, client.Options{Scheme: scheme})
	must(t, err)
	local := environment.WebhookInstallOptions
	c.start = func() func() {
		manager, err := ctrl.NewManager(rest, ctrl.Options{
			Scheme:                        scheme,
			LeaderElection:                true,
			LeaderElectionID:              "gardens",
			LeaderElectionNamespace:       "default",
			LeaderElectionReleaseOnCancel: true,
			Controller:                    config.Controller{SkipNameValidation: new(true)},
			Metrics:                       metricsserver.Options{BindAddress: "0"},
			WebhookServer:                 webhook.NewServer(webhook.Options{Host: local.LocalServingHost, Port: local.LocalServingPort, CertDir: local.LocalServingCertDir}),
		})
		must(t, err)
		must(t, Setup(manager, c.land))
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- manager.Start(ctx) }()
		return func() {
			cancel()
			must(t, <-ended)
		}
	}
	return c
}

func TestOperator(t *testing.T) {
	c := newCluster(t)
	stop := c.start()
	t.Run("Convert", c.converts)
	t.Run("Reconcile", c.reconciles)
	t.Run("Refuse", c.refuses)
	t.Run("Apply", c.applies)
	t.Run("Watch", c.watches)
	// The garden is deleted while no manager runs; the next one finishes its finalizer.
	garden := &v2.Garden{ObjectMeta: named("last"), Spec: v2.GardenSpec{Rows: 1, Columns: 1}}
	must(t, c.Create(t.Context(), garden))
	c.isReady(t, garden)
	protected := garden.DeepCopyObject().(*v2.Garden)
	protected.Annotations = map[string]string{Protected: "yes"}
	must(t, c.Update(t.Context(), protected))
	if err := c.Delete(t.Context(), garden); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "the garden is protected") {
		t.Fatalf("a protected garden is deleted: %v", err)
	}
	protected.Annotations = nil
	must(t, c.Update(t.Context(), protected))
	must(t, c.Delete(t.Context(), garden, client.DryRunAll))
	stop()
	if err := c.Delete(t.Context(), garden); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "failed calling webhook") {
		t.Fatalf("without the webhook: %v", err)
	}
	defer c.start()()
	eventually(t, func() error { return c.Delete(t.Context(), garden) })
	eventually(t, func() error {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(garden), garden); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the garden is there: %v", err)
		}
		return nil
	})
	if c.land.Has(client.ObjectKeyFromObject(garden)) {
		t.Fatal("the land of a deleted garden is taken")
	}
}

// converts writes a version and reads the other.
func (c *cluster) converts(t *testing.T) {
	old := &v1.Garden{ObjectMeta: named("old"), Spec: v1.GardenSpec{Size: "3x4"}}
	eventually(t, func() error { return c.Create(t.Context(), old) })
	if old.Annotations[v1.CropAnnotation] != "beans" {
		t.Fatalf("the default, as v1: %v", old.Annotations)
	}
	c.warnings.have(t, "plots.example.com/v1 Garden is deprecated; use plots.example.com/v2")
	var garden v2.Garden
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(old), &garden))
	if (garden.Spec != v2.GardenSpec{Rows: 3, Columns: 4, Crop: "beans"}) {
		t.Fatalf("as v2: %+v", garden.Spec)
	}
	var list v1.GardenList
	must(t, c.List(t.Context(), &list, client.InNamespace("default")))
	if len(list.Items) != 1 || list.Items[0].Spec.Size != "3x4" {
		t.Fatalf("the list in v1: %+v", list.Items)
	}
	c.isReady(t, &garden)
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(old), old))
	if old.Status.Plots != 12 {
		t.Fatalf("the status in v1: %+v", old.Status)
	}
	err := c.Create(t.Context(), &v1.Garden{ObjectMeta: named("bad"), Spec: v1.GardenSpec{Size: "wide"}})
	if !apierrors.IsInternalError(err) && !apierrors.IsInvalid(err) || !strings.Contains(fmt.Sprint(err), `size "wide"`) {
		t.Fatalf("a size that cannot be converted: %v", err)
	}
}

// reconciles follows a garden through its changes.
func (c *cluster) reconciles(t *testing.T) {
	garden := &v2.Garden{ObjectMeta: named("new"), Spec: v2.GardenSpec{Rows: 2, Columns: 3}}
	must(t, c.Create(t.Context(), garden))
	c.isReady(t, garden)
	if garden.Generation != 1 || garden.Status.Plots != 6 || !slices.Contains(garden.Finalizers, Finalizer) || !c.land.Has(client.ObjectKeyFromObject(garden)) {
		t.Fatalf("a garden: %+v", garden)
	}
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 5}}
	must(t, c.SubResource("scale").Update(t.Context(), garden, client.WithSubResourceBody(scale)))
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(garden), garden))
	if garden.Generation != 2 {
		t.Fatalf("the generation after a change of scale: %d", garden.Generation)
	}
	c.isReady(t, garden)
	plan := corev1.ConfigMap{ObjectMeta: named("new")}
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(&plan), &plan))
	if plan.Data["plots"] != "15" || !metav1.IsControlledBy(&plan, garden) {
		t.Fatalf("the plan: %+v", plan)
	}
	must(t, c.Delete(t.Context(), &plan))
	eventually(t, func() error { return c.Get(t.Context(), client.ObjectKeyFromObject(&plan), &plan) })
	var beans v2.GardenList
	must(t, c.List(t.Context(), &beans, client.MatchingFields{"spec.crop": "beans"}))
	var peas v2.GardenList
	must(t, c.List(t.Context(), &peas, client.MatchingFields{"spec.crop": "peas"}))
	if len(beans.Items) != 2 || len(peas.Items) != 0 {
		t.Fatalf("gardens by crop: %d, %d", len(beans.Items), len(peas.Items))
	}
}

// refuses checks what the schema, its rules and the webhook each refuse, and the warning of the webhook.
func (c *cluster) refuses(t *testing.T) {
	refused := func(why string, is func(error) bool, err error) {
		t.Helper()
		if !is(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("want %q: %v", why, err)
		}
	}
	garden := func(rows, columns int32) *v2.Garden {
		return &v2.Garden{ObjectMeta: named("other"), Spec: v2.GardenSpec{Rows: rows, Columns: columns}}
	}
	refused("spec.rows: Invalid value: 0", apierrors.IsInvalid, c.Create(t.Context(), garden(0, 1)))
	refused(`admission webhook "validate.plots.example.com" denied the request: 121 plots are more than 100`, apierrors.IsForbidden, c.Create(t.Context(), garden(11, 11)))
	refused("121 plots are more than 100", apierrors.IsForbidden, c.Create(t.Context(), &v1.Garden{ObjectMeta: named("other"), Spec: v1.GardenSpec{Size: "11x11"}}))
	must(t, c.Create(t.Context(), garden(8, 8), client.DryRunAll))
	c.warnings.have(t, "64 plots are many")
	var there v2.Garden
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "new"}, &there))
	stale := there.DeepCopyObject().(*v2.Garden)
	there.Spec.Columns++
	refused("columns are immutable", apierrors.IsInvalid, c.Update(t.Context(), &there))
	stale.ResourceVersion = "1"
	refused("the object has been modified", apierrors.IsConflict, c.Update(t.Context(), stale))
}

// applies has fields owned by two managers who use different versions.
func (c *cluster) applies(t *testing.T) {
	object := func(version string, spec map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "plots.example.com/" + version, "kind": "Garden", "spec": spec}}
		u.SetNamespace("default")
		u.SetName("applied")
		return u
	}
	apply := func(u *unstructured.Unstructured, owner string) error {
		return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(owner))
	}
	must(t, apply(object("v2", map[string]any{"rows": int64(2), "columns": int64(2), "crop": "peas"}), "a"))
	if err := apply(object("v2", map[string]any{"rows": int64(3), "columns": int64(2)}), "b"); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), ".spec.rows") {
		t.Fatalf("another owner: %v", err)
	}
	must(t, apply(object("v1", map[string]any{"size": "2x2"}), "c"))
	must(t, apply(object("v2", map[string]any{"rows": int64(2), "columns": int64(2)}), "a"))
	var garden v2.Garden
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "applied"}, &garden))
	versions := map[string]string{}
	for _, entry := range garden.ManagedFields {
		versions[entry.Manager] = entry.APIVersion
	}
	if garden.Spec.Rows != 2 || versions["a"] != "plots.example.com/v2" || versions["c"] != "plots.example.com/v1" {
		t.Fatalf("applied: %+v %v", garden.Spec, versions)
	}
}

// watches sees a change that was made in the other version.
func (c *cluster) watches(t *testing.T) {
	var list v1.GardenList
	must(t, c.List(t.Context(), &list, client.InNamespace("default")))
	watch, err := c.Watch(t.Context(), &v1.GardenList{}, client.InNamespace("default"), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}})
	must(t, err)
	defer watch.Stop()
	must(t, c.Create(t.Context(), &v2.Garden{ObjectMeta: named("seen"), Spec: v2.GardenSpec{Rows: 7, Columns: 7}}))
	for event := range watch.ResultChan() {
		garden, ok := event.Object.(*v1.Garden)
		if !ok {
			t.Fatalf("an event: %+v", event)
		}
		if garden.Name == "seen" {
			if garden.Spec.Size != "7x7" {
				t.Fatalf("in v1: %+v", garden.Spec)
			}
			return
		}
	}
	t.Fatal("the watch ended")
}

// isReady waits until the status tells of the current generation, and reads the garden.
func (c *cluster) isReady(t *testing.T, garden *v2.Garden) {
	t.Helper()
	eventually(t, func() error {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(garden), garden); err != nil {
			return err
		}
		if garden.Status.ObservedGeneration != garden.Generation || !meta.IsStatusConditionTrue(garden.Status.Conditions, Ready) {
			return fmt.Errorf("generation %d, status %+v", garden.Generation, garden.Status)
		}
		return nil
	})
}

// The warnings of all responses.
type warnings struct{ seen sync.Map }

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _ string, text string) {
	w.seen.Store(text, true)
}

func (w *warnings) have(t *testing.T, text string) {
	t.Helper()
	if _, has := w.seen.Load(text); !has {
		t.Errorf("no warning %q", text)
	}
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, check func() error) {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
