//! kube-rs against the server of $KUBECONFIG: typed APIs, watchers with both kinds of list, and a controller with a finalizer.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    core::ObjectMeta,
    runtime::{
        Controller, WatchStreamExt,
        conditions::is_crd_established,
        controller::Action,
        finalizer::{Event, finalizer},
        wait::await_condition,
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{sleep, timeout};

const LIMIT: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "rust";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "shop.example", version = "v1", kind = "Offer", namespaced, status = "OfferStatus")]
struct OfferSpec {
    price: i64,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct OfferStatus {
    copied: Option<i64>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    ensure!(client.apiserver_version().await?.minor == "37", "the version");
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = Namespace { metadata: ObjectMeta { name: Some(NAMESPACE.into()), ..Default::default() }, ..Default::default() };
    namespaces.create(&PostParams::default(), &namespace).await?;
    typed(Api::namespaced(client.clone(), NAMESPACE)).await?;
    for (name, config) in [("lists", watcher::Config::default()), ("streams", watcher::Config::default().streaming_lists())] {
        watching(Api::namespaced(client.clone(), NAMESPACE), name, config).await?;
    }
    controlling(client).await?;
    namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
    println!("kube-rs: passed");
    Ok(())
}

fn config_map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.into()), ..Default::default() },
        data: Some(BTreeMap::from([("k".into(), value.into())])),
        ..Default::default()
    }
}

async fn typed(maps: Api<ConfigMap>) -> Result<()> {
    for i in 0..25 {
        maps.create(&PostParams::default(), &config_map(&format!("c{i}"), "1")).await?;
    }
    let mut page = maps.list(&ListParams::default().limit(10)).await?;
    let mut count = page.items.len();
    while let Some(token) = page.metadata.continue_.clone().filter(|t| !t.is_empty()) {
        page = maps.list(&ListParams::default().limit(10).continue_token(&token)).await?;
        count += page.items.len();
    }
    ensure!(count >= 25, "{count} objects in chunks");
    let stale = maps.get("c0").await?;
    maps.patch("c0", &PatchParams::default(), &Patch::Merge(json!({ "data": { "k": "2" } }))).await?;
    match maps.replace("c0", &PostParams::default(), &stale).await {
        Err(kube::Error::Api(status)) => ensure!(status.code == 409 && status.reason == "Conflict", "{status:?}"),
        other => anyhow::bail!("a stale replacement must fail: {other:?}"),
    }
    let apply = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c1" }, "data": { "k": "3" } });
    let applied = maps.patch("c1", &PatchParams::apply("rust").force(), &Patch::Apply(apply)).await?;
    ensure!(applied.data == config_map("c1", "3").data, "the applied object");
    ensure!(maps.get_metadata("c1").await?.name_any() == "c1", "the metadata");
    ensure!(maps.get_opt("missing").await?.is_none(), "an object that does not exist");
    maps.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
    Ok(())
}

async fn watching(maps: Api<ConfigMap>, name: &str, config: watcher::Config) -> Result<()> {
    let mut events = watcher(maps.clone(), config.fields(&format!("metadata.name={name}"))).default_backoff().touched_objects().boxed();
    maps.create(&PostParams::default(), &config_map(name, "0")).await?;
    for i in 1..4 {
        let next = async {
            loop {
                let seen = events.try_next().await?.context("the watch ended")?;
                let value = seen.data.and_then(|d| d.get("k").cloned());
                if value == Some((i - 1).to_string()) {
                    return anyhow::Ok(());
                }
            }
        };
        timeout(LIMIT, next).await.with_context(|| format!("{name}: change {i}"))??;
        maps.patch(name, &PatchParams::default(), &Patch::Merge(json!({ "data": { "k": i.to_string() } }))).await?;
    }
    Ok(())
}

/// Copies the price of an offer to a ConfigMap that it owns and to its status; removes the ConfigMap with a finalizer.
async fn reconcile(offer: Arc<Offer>, client: Arc<Client>) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let offers: Api<Offer> = Api::namespaced((*client).clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced((*client).clone(), NAMESPACE);
    finalizer(&offers.clone(), "shop.example/copy", offer, |event| async move {
        match event {
            Event::Apply(offer) => {
                let mut copy = config_map(&format!("{}-copy", offer.name_any()), &offer.spec.price.to_string());
                copy.metadata.owner_references = offer.controller_owner_ref(&()).map(|o| vec![o]);
                maps.patch(&copy.name_any(), &PatchParams::apply("rust").force(), &Patch::Apply(&copy)).await?;
                let status = json!({ "status": { "copied": offer.spec.price } });
                offers.patch_status(&offer.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
            }
            Event::Cleanup(offer) => {
                maps.delete(&format!("{}-copy", offer.name_any()), &DeleteParams::default()).await?;
            }
        }
        Ok(Action::await_change())
    })
    .await
}

async fn controlling(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.create(&PostParams::default(), &Offer::crd()).await?;
    timeout(LIMIT, await_condition(definitions.clone(), "offers.shop.example", is_crd_established())).await??;
    let offers: Api<Offer> = Api::namespaced(client.clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let controller = Controller::new(offers.clone(), watcher::Config::default())
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), Arc::new(client))
        .for_each(|_| async {});
    let running = tokio::spawn(controller);
    offers.create(&PostParams::default(), &Offer::new("o", OfferSpec { price: 1 })).await?;
    copied(&offers, &maps, 1).await?;
    offers.patch("o", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "price": 2 } }))).await?;
    copied(&offers, &maps, 2).await?;
    // The controller restores what somebody else changed.
    maps.delete("o-copy", &DeleteParams::default()).await?;
    copied(&offers, &maps, 2).await?;
    offers.delete("o", &DeleteParams::default()).await?;
    timeout(LIMIT, async {
        while offers.get_opt("o").await?.is_some() {
            sleep(Duration::from_millis(50)).await;
        }
        anyhow::Ok(())
    })
    .await
    .context("the finalizer is removed")??;
    ensure!(maps.get_opt("o-copy").await?.is_none_or(|m| m.meta().deletion_timestamp.is_some()), "the copy is removed");
    running.abort();
    definitions.delete("offers.shop.example", &DeleteParams::default()).await?;
    Ok(())
}

async fn copied(offers: &Api<Offer>, maps: &Api<ConfigMap>, price: i64) -> Result<()> {
    timeout(LIMIT, async {
        loop {
            let copy = maps.get_opt("o-copy").await?.and_then(|m| m.data).and_then(|d| d.get("k").cloned());
            let status = offers.get("o").await?.status.and_then(|s| s.copied);
            if copy == Some(price.to_string()) && status == Some(price) {
                return anyhow::Ok(());
            }
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await
    .with_context(|| format!("the price {price} is copied"))?
}
