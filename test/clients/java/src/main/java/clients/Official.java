package clients;

import static clients.Checks.check;
import static clients.Checks.eventually;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Yaml;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.File;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.util.Map;

/** The official Java client with the admin kubeconfig, which is the first argument. */
public final class Official {
  public static void main(String[] args) throws Exception {
    KubeConfig config = KubeConfig.loadKubeConfig(new FileReader(args[0]));
    config.setFile(new File(args[0]));
    ApiClient client = ClientBuilder.kubeconfig(config).build();
    client.setReadTimeout(0);
    check(new VersionApi(client).getCode().execute().getMinor().equals("37"), "the version");
    CoreV1Api core = new CoreV1Api(client);
    core.createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name("java2"))).execute();

    GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps = new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(maps, V1ConfigMap.class, 0, "java2");
    factory.startAllRegisteredInformers();
    for (int i = 0; i < 20; i++) core.createNamespacedConfigMap("java2", configMap("c" + i, "1")).execute();
    eventually("the informer sees all creations", () -> informer.getIndexer().list().stream().filter(o -> o.getMetadata().getName().startsWith("c")).count() == 20);
    V1ConfigMap changed = core.readNamespacedConfigMap("c0", "java2").execute();
    changed.setData(Map.of("k", "2"));
    core.replaceNamespacedConfigMap("c0", "java2", changed).execute();
    try {
      core.replaceNamespacedConfigMap("c0", "java2", changed).execute();
      check(false, "a stale replacement fails");
    } catch (ApiException e) {
      check(e.getCode() == 409, "the code of the conflict: " + e.getCode());
    }
    V1Patch patch = new V1Patch("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c1\"},\"data\":{\"k\":\"3\"}}");
    PatchUtils.patch(V1ConfigMap.class, () -> core.patchNamespacedConfigMap("c1", "java2", patch).fieldManager("java").force(true).buildCall(null), V1Patch.PATCH_FORMAT_APPLY_YAML, client);
    eventually("the informer sees the changes", () -> "2".equals(value(informer, "c0")) && "3".equals(value(informer, "c1")));
    core.deleteCollectionNamespacedConfigMap("java2").execute();
    eventually("the informer sees the deletions", () -> informer.getIndexer().list().stream().noneMatch(o -> o.getMetadata().getName().startsWith("c")));
    factory.stopAllRegisteredInformers();

    DynamicKubernetesApi definitions = new DynamicKubernetesApi("apiextensions.k8s.io", "v1", "customresourcedefinitions", client);
    Object crd = Yaml.getSnakeYaml(Map.class).load(new InputStreamReader(Official.class.getResourceAsStream("/crd.yaml")));
    definitions.create(new DynamicKubernetesObject(client.getJSON().getGson().toJsonTree(crd).getAsJsonObject())).throwsApiException();
    DynamicKubernetesApi offers = new DynamicKubernetesApi("shop.example", "v1", "offers", client);
    DynamicKubernetesObject offer = new DynamicKubernetesObject();
    offer.setApiVersion("shop.example/v1");
    offer.setKind("Offer");
    offer.setMetadata(new V1ObjectMeta().name("o").namespace("java2"));
    eventually("the definition is served", () -> offers.create(offer).isSuccess());
    check(offers.list("java2").getObject().getItems().size() == 1, "the custom resources");
    definitions.delete("offers.shop.example").throwsApiException();
    core.deleteNamespace("java2").execute();
    System.out.println("client-java: passed");
    System.exit(0);
  }

  private static V1ConfigMap configMap(String name, String value) {
    return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).data(Map.of("k", value));
  }

  private static String value(SharedIndexInformer<V1ConfigMap> informer, String name) {
    V1ConfigMap map = informer.getIndexer().getByKey("java2/" + name);
    return map == null ? null : map.getData().get("k");
  }
}
