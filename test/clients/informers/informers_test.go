// Package informers tests client-go's informers against three peers that are killed and restarted.
package informers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

const (
	limit   = 2 * time.Minute
	objects = 40
)

// TestInformerAcrossKills follows ConfigMaps through peer a, while a writer changes them through peer b, and peers c and then a are killed
// and restarted. The informer sees the versions of each object in order, and in the end what the store has. It lists once.
func TestInformerAcrossKills(t *testing.T) {
	c := startCluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()

	config := c.config("a")
	var lists atomic.Int64
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(request)
			query := request.URL.Query()
			if err == nil && response.StatusCode == http.StatusOK && request.URL.Path == "/api/v1/namespaces/default/configmaps" && (query.Get("watch") == "" || query.Get("sendInitialEvents") == "true") {
				lists.Add(1)
			}
			return response, err
		})
	})
	factory := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(config), 0, informers.WithNamespace("default"))
	informer := factory.Core().V1().ConfigMaps()
	order := &versions{last: map[string]uint64{}}
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { order.see(t, o.(*corev1.ConfigMap)) },
		UpdateFunc: func(_, o any) { order.see(t, o.(*corev1.ConfigMap)) },
	}); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		t.Fatal("the informer did not synchronize")
	}

	writer := kubernetes.NewForConfigOrDie(c.config("b"))
	write := func(round int) {
		t.Helper()
		for i := range objects {
			put(ctx, t, writer, fmt.Sprintf("o%d", i), strconv.Itoa(round))
		}
	}
	write(1)
	c.kill("c")
	write(2)
	c.start("c")
	c.waitReady("c")
	c.kill("a")
	write(3)
	for i := range objects / 2 {
		remove(ctx, t, writer, fmt.Sprintf("o%d", i))
	}
	c.start("a")
	c.waitReady("a")
	write(4)
	for i := range objects / 4 {
		remove(ctx, t, writer, fmt.Sprintf("o%d", i))
	}

	stored, err := writer.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, o := range stored.Items {
		want[o.Name] = o.ResourceVersion
	}
	for different := "first look"; different != ""; time.Sleep(50 * time.Millisecond) {
		seen, err := informer.Lister().List(labels.Everything())
		if err != nil {
			t.Fatal(err)
		}
		different = compare(want, seen)
		if ctx.Err() != nil {
			t.Fatalf("the informer does not have what is stored: %s", different)
		}
	}
	if n := lists.Load(); n != 1 {
		t.Errorf("the informer listed %d times; after a restart it should resume its watch", n)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// versions checks that the versions of each object grow.
type versions struct {
	mutex sync.Mutex
	last  map[string]uint64
}

func (v *versions) see(t *testing.T, o *corev1.ConfigMap) {
	version, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
	if err != nil {
		t.Error(err)
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if version <= v.last[o.Name] {
		t.Errorf("%s: version %d after %d", o.Name, version, v.last[o.Name])
	}
	v.last[o.Name] = version
}

func compare(want map[string]string, seen []*corev1.ConfigMap) string {
	if len(want) != len(seen) {
		return fmt.Sprintf("%d objects, stored are %d", len(seen), len(want))
	}
	for _, o := range seen {
		if want[o.Name] != o.ResourceVersion {
			return fmt.Sprintf("%s has version %s, stored is %q", o.Name, o.ResourceVersion, want[o.Name])
		}
	}
	return ""
}

// put creates or replaces an object until it is acknowledged: a write may fail while the cluster has no leader.
func put(ctx context.Context, t *testing.T, api kubernetes.Interface, name, value string) {
	t.Helper()
	maps := api.CoreV1().ConfigMaps("default")
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": value}}
	for ; ; time.Sleep(100 * time.Millisecond) {
		_, err := maps.Update(ctx, object, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) {
			_, err = maps.Create(ctx, object, metav1.CreateOptions{})
		}
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func remove(ctx context.Context, t *testing.T, api kubernetes.Interface, name string) {
	t.Helper()
	for ; ; time.Sleep(100 * time.Millisecond) {
		err := api.CoreV1().ConfigMaps("default").Delete(ctx, name, metav1.DeleteOptions{})
		if err == nil || apierrors.IsNotFound(err) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
