package clients;

import static clients.Checks.check;
import static clients.Checks.eventually;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.io.File;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** fabric8's client with the admin kubeconfig, which is the first argument. */
public final class Fabric8 {
  public static class OfferSpec {
    public int price;
  }

  @Group("shop.example")
  @Version("v1")
  public static class Offer extends CustomResource<OfferSpec, Void> implements Namespaced {}

  public static void main(String[] args) throws Exception {
    Config config = Config.fromKubeconfig(new File(args[0]));
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      check(client.getKubernetesVersion().getMinor().equals("37"), "the version");
      check(client.getApiGroups().getGroups().size() > 15, "the groups");
      client.namespaces().resource(new io.fabric8.kubernetes.api.model.NamespaceBuilder().withNewMetadata().withName("java").endMetadata().build()).create();
      configMaps(client);
      deployments(client);
      customResources(client);
      leaderElection(client);
      client.namespaces().withName("java").delete();
      client.namespaces().withName("java").waitUntilCondition(n -> n == null, 60, TimeUnit.SECONDS);
    }
    System.out.println("fabric8: passed");
  }

  private static ConfigMap configMap(String name, String value) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace("java").endMetadata().addToData("k", value).build();
  }

  private static void configMaps(KubernetesClient client) throws Exception {
    Map<String, String> seen = new ConcurrentHashMap<>();
    ResourceEventHandler<ConfigMap> handler = new ResourceEventHandler<>() {
      @Override
      public void onAdd(ConfigMap o) {
        seen.put(o.getMetadata().getName(), o.getData() == null ? "" : o.getData().getOrDefault("k", ""));
      }

      @Override
      public void onUpdate(ConfigMap before, ConfigMap o) {
        onAdd(o);
      }

      @Override
      public void onDelete(ConfigMap o, boolean unknown) {
        seen.remove(o.getMetadata().getName());
      }
    };
    var maps = client.configMaps().inNamespace("java");
    try (SharedIndexInformer<ConfigMap> informer = maps.inform(handler)) {
      maps.resource(configMap("a", "1")).create();
      eventually("the informer sees the creation", () -> "1".equals(seen.get("a")));
      maps.withName("a").edit(o -> new ConfigMapBuilder(o).addToData("k", "2").build());
      eventually("the informer sees the edit", () -> "2".equals(seen.get("a")));
      maps.resource(configMap("a", "3")).forceConflicts().serverSideApply();
      eventually("the informer sees the apply", () -> "3".equals(seen.get("a")));
      maps.withName("a").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"k\":\"4\"}}");
      eventually("the informer sees the patch", () -> "4".equals(seen.get("a")));
      try {
        maps.resource(configMap("a", "1")).create();
        check(false, "a second creation fails");
      } catch (KubernetesClientException e) {
        check(e.getCode() == 409 && e.getStatus().getReason().equals("AlreadyExists"), "the reason of the conflict: " + e);
      }
      maps.withName("a").delete();
      eventually("the informer sees the deletion", () -> !seen.containsKey("a"));
    }
    for (int i = 0; i < 25; i++) maps.resource(configMap("c" + i, "x")).create();
    check(maps.list(new io.fabric8.kubernetes.api.model.ListOptionsBuilder().withLimit(10L).build()).getMetadata().getContinue() != null, "a chunk has a continue token");
    maps.delete();
  }

  private static void deployments(KubernetesClient client) {
    Deployment d = new DeploymentBuilder().withNewMetadata().withName("web").withNamespace("java").endMetadata()
        .withNewSpec().withReplicas(1).withNewSelector().addToMatchLabels("a", "b").endSelector()
        .withNewTemplate().withNewMetadata().addToLabels("a", "b").endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("nginx").endContainer().endSpec().endTemplate().endSpec().build();
    var one = client.apps().deployments().inNamespace("java").resource(d);
    one.create();
    var named = client.apps().deployments().inNamespace("java").withName("web");
    check(named.scale(3).getSpec().getReplicas() == 3, "scale");
    named.editStatus(o -> new DeploymentBuilder(o).withNewStatus().withReplicas(3).withObservedGeneration(o.getMetadata().getGeneration()).endStatus().build());
    check(named.get().getStatus().getReplicas() == 3, "the status");
    named.withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
  }

  private static void customResources(KubernetesClient client) throws Exception {
    client.load(Fabric8.class.getResourceAsStream("/crd.yaml")).serverSideApply();
    client.apiextensions().v1().customResourceDefinitions().withName("offers.shop.example").waitUntilCondition(
        d -> d.getStatus() != null && d.getStatus().getConditions().stream().anyMatch(c -> c.getType().equals("Established") && c.getStatus().equals("True")), 60, TimeUnit.SECONDS);
    Offer offer = new Offer();
    offer.getMetadata().setName("o");
    offer.getMetadata().setNamespace("java");
    offer.setSpec(new OfferSpec());
    offer.getSpec().price = 5;
    client.resource(offer).create();
    check(client.resources(Offer.class).inNamespace("java").withName("o").get().getSpec().price == 5, "the typed custom resource");
    GenericKubernetesResource generic = client.genericKubernetesResources("shop.example/v1", "Offer").inNamespace("java").withName("o").get();
    check(generic.getMetadata().getName().equals("o"), "the generic custom resource");
    client.apiextensions().v1().customResourceDefinitions().withName("offers.shop.example").delete();
  }

  private static void leaderElection(KubernetesClient client) throws Exception {
    CountDownLatch leads = new CountDownLatch(1);
    var elector = client.leaderElector().withConfig(new LeaderElectionConfigBuilder().withName("e").withLock(new LeaseLock("java", "lock", "me"))
        .withLeaseDuration(Duration.ofSeconds(15)).withRenewDeadline(Duration.ofSeconds(10)).withRetryPeriod(Duration.ofSeconds(1)).withReleaseOnCancel(true)
        .withLeaderCallbacks(new LeaderCallbacks(leads::countDown, () -> {}, who -> {})).build()).build();
    var running = elector.start();
    check(leads.await(60, TimeUnit.SECONDS), "the elector leads");
    running.cancel(true);
  }
}
