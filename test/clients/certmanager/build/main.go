// The programs of cert-manager: `programs controller`, `programs cainjector`, `programs webhook`. cert-manager publishes their
// parts as packages of one module, but its own commands are modules without a release. The path of this module begins with that of
// cert-manager, because the webhook is one of its internal packages.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cert-manager/cert-manager/internal/apis/config/shared"
	config "github.com/cert-manager/cert-manager/internal/apis/config/webhook"
	"github.com/cert-manager/cert-manager/internal/webhook"
	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/util"
)

const (
	workers  = 2
	requests = 100 // a second, where the server has no priority and fairness
	oneDay   = 24 * time.Hour
	patience = time.Hour
	leafAge  = 7 * oneDay
)

// A set of its own, because controller-runtime adds --kubeconfig to that of the process.
var (
	flags      = flag.NewFlagSet("programs", flag.ExitOnError)
	kubeconfig = flags.String("kubeconfig", "", "the file with the server and the credentials")
	namespace  = flags.String("namespace", "cert-manager", "the namespace of cert-manager")
	port       = flags.Int("port", 0, "the port of the webhook")
	health     = flags.Int("health-port", 0, "the port of the webhook's health checks")
)

func main() {
	programs := map[string]func(context.Context) error{"controller": runController, "cainjector": runInjector, "webhook": runWebhook}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		log.Fatal("usage: programs controller|cainjector|webhook --kubeconfig FILE")
	}
	_ = flags.Parse(os.Args[2:])
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(klog.Background())
	if err := programs[os.Args[1]](ctx); err != nil {
		log.Fatal(err)
	}
}

// runController runs the controllers that issue certificates of self-signed issuers and of issuers with a CA.
func runController(ctx context.Context) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:         *kubeconfig,
		KubernetesAPIQPS:   requests,
		KubernetesAPIBurst: requests,
		IssuerOptions:      controller.IssuerOptions{ClusterResourceNamespace: *namespace},
		CertificateOptions: controller.CertificateOptions{
			CopiedAnnotationPrefixes:                 []string{"*", "-kubectl.kubernetes.io/"},
			CertificateRequestMinimumBackoffDuration: patience,
			CertificateRequestMaximumBackoffDuration: patience,
		},
	})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for name, build := range controller.Known() {
		made, err := build(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		group.Go(func() error { return made.Run(workers, ctx) })
	}
	parts, err := factory.Build()
	if err != nil {
		return err
	}
	parts.SharedInformerFactory.Start(ctx.Done())
	parts.KubeSharedInformerFactory.Start(ctx.Done())
	parts.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	return group.Wait()
}

// runInjector runs the controllers that write CAs to webhook configurations, definitions and APIServices.
func runInjector(ctx context.Context) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{core.AddToScheme, certmanager.AddToScheme, admissionregistration.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	rest, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(util.RestConfigWithUserAgent(rest, "cainjector"), ctrl.Options{
		Scheme:                  scheme,
		LeaderElection:          true,
		LeaderElectionID:        "cert-manager-cainjector-leader-election",
		LeaderElectionNamespace: "kube-system",
		Metrics:                 metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	enabled := map[string]bool{}
	for _, name := range []string{cainjector.MutatingWebhookConfigurationName, cainjector.ValidatingWebhookConfigurationName, cainjector.APIServiceName, cainjector.CustomResourceDefinitionName} {
		enabled[name] = true
	}
	options := cainjector.SetupOptions{EnableCertificatesDataSource: true, EnabledReconcilersFor: enabled}
	if err := cainjector.RegisterAllInjectors(ctx, manager, options); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// runWebhook runs the webhook with a certificate of its own CA, which it keeps in a Secret.
func runWebhook(ctx context.Context) error {
	server, err := webhook.NewCertManagerWebhookServer(klog.Background(), config.WebhookConfiguration{
		KubeConfig:           *kubeconfig,
		SecurePort:           int32(*port),
		HealthzPort:          int32(*health),
		MetricsListenAddress: "0",
		TLSConfig: shared.TLSConfig{Dynamic: shared.DynamicServingConfig{
			SecretNamespace: *namespace,
			SecretName:      "cert-manager-webhook-ca",
			DNSNames:        strings.Split("localhost,cert-manager-webhook,cert-manager-webhook.cert-manager.svc", ","),
			LeafDuration:    leafAge,
		}},
	})
	if err != nil {
		return err
	}
	return server.Run(ctx)
}
