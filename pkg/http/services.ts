import type { World } from '../base/index.js';
import type { Fairness } from '../fairness/index.js';
import type { Registry, RenderAnswer, RenderList } from '../registry/index.js';
import type { ApiServerMetrics, Exposition, HealthResults, Log } from '../telemetry/index.js';
import type { Aggregation } from './aggregation.js';
import type { Backends } from './backend.js';
import type { DiscoveryDocuments } from './discovery.js';
import type { HealthChecks } from './health.js';
import type { OpenApiDocuments } from './openapi.js';
import type { ControlDesk } from './peercontrol.js';
import type { Stages } from './pipeline.js';
import type { Watches } from './watches.js';
import type { ServerFacts } from './zpages.js';

/** The part of the registry that HTTP uses: the served resources and the verbs. */
export type Verbs = Omit<
  Registry,
  'cache' | 'scheduler' | 'bootstrap' | 'ensureNamespaces' | 'close' | 'observeKinds' | 'changeKinds'
>;

/** The dependencies of the HTTP side, built by the composition root. */
export interface HttpServices {
  readonly world: World;
  readonly log: Log;
  readonly stages: Stages;
  readonly metrics: ApiServerMetrics;
  readonly exposition: Exposition;
  readonly registry: Verbs;
  readonly renderAnswer: RenderAnswer;
  readonly renderList: RenderList;
  readonly health: HealthChecks;
  readonly healthResults: HealthResults;
  readonly facts: ServerFacts;
  /** The group versions of other servers. Absent for a server without aggregation. */
  readonly aggregation?: Aggregation | undefined;
  /** Kubelets, pods and endpoints of services. */
  readonly backends: Backends;
  /** Waits, for a short time, until the kinds of all definitions that any peer established are served here. */
  readonly kindsCurrent: () => Promise<void>;
  /** Absent when priority and fairness is switched off. */
  readonly fairness?: Fairness | undefined;
  readonly discovery: DiscoveryDocuments;
  readonly openApi: OpenApiDocuments;
  /** Absent when there is no peer to administer at `/peer/v1`. */
  readonly control?: ControlDesk | undefined;
  /** Discovery documents of the issuer of service-account tokens (OpenID Connect). */
  readonly issuer: IssuerDocuments;
  /** Whether unsafe deletion of unreadable objects is enabled. */
  readonly unsafeDeletion: boolean;
  /**
   * Whether streams to pods that are opened by GET need the permission to create
   * (AuthorizePodWebsocketUpgradeCreatePermission).
   */
  readonly createsUpgrades: boolean;
  readonly watches: Watches;
  /** Milliseconds. A watch without `timeoutSeconds` lasts at least this and less than twice as long. */
  readonly watchTime: number;
  /** The host and port by which clients reach the server, as published in discovery. */
  address(): string;
}

export interface IssuerDocuments {
  /** JSON of `/.well-known/openid-configuration`; `address` is the host and port by which clients reach the server. */
  configuration(address: string): string;
  /** JSON of `/openid/v1/jwks`. */
  readonly keySet: string;
}
