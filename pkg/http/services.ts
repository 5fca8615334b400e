import type { World } from '../base/index.js';
import type { Registry, RenderAnswer, RenderList } from '../registry/index.js';
import type { ApiServerMetrics, Exposition, Log } from '../telemetry/index.js';
import type { HealthChecks } from './health.js';
import type { ControlDesk } from './peercontrol.js';
import type { Stages } from './pipeline.js';
import type { Watches } from './watches.js';

/** The part of the registry that HTTP uses: the served resources and the verbs. */
export type Verbs = Omit<Registry, 'cache' | 'bootstrap' | 'close' | 'observeKinds' | 'changeKinds'>;

/** What the HTTP side stands on; made by the composition root. */
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
  /** Absent: there is nothing to administer below `/peer/v1`. */
  readonly control?: ControlDesk | undefined;
  /** Discovery documents of the issuer of service-account tokens (OpenID Connect). */
  readonly issuer: IssuerDocuments;
  /** Whether an object that cannot be read may be removed nevertheless, by who asks for it. */
  readonly unsafeDeletion: boolean;
  readonly watches: Watches;
  /** Milliseconds: a watch without `timeoutSeconds` lasts at least this and less than twice. */
  readonly watchTime: number;
  /** Host and port by which clients reach the server, as discovery tells. */
  address(): string;
}

export interface IssuerDocuments {
  /** JSON of `/.well-known/openid-configuration`; `address` is the host and port by which clients reach the server. */
  configuration(address: string): string;
  /** JSON of `/openid/v1/jwks`. */
  readonly keySet: string;
}
