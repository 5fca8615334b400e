export { AccessMetrics, type ReloadStatus } from './access.js';
export {
  ApiServerMetrics,
  type AuthenticationResult,
  type AuthorizationResult,
  type RequestFilter,
  type RequestKind,
  type RequestSeries,
  type WatchSeries,
} from './apiserver.js';
export { buildInfo, Exposition, type ExpositionFormat, featureInfo } from './exposition.js';
export { HealthResults } from './health.js';
export { ImpersonationMetrics } from './impersonation.js';
export { createLog, type Log, type LogLevel, type LogOptions } from './log.js';
export { RecentPeak } from './peak.js';
export { Durations, type QueueCounts, QueueMetrics, type QueueView } from './queues.js';
export {
  type Cell,
  CounterFamily,
  exponential,
  type Family,
  type HistogramCell,
  HistogramFamily,
  type ScrapedMetric,
} from './series.js';
export { StorageMetrics, type StorageView, type StoredResourceView } from './storage.js';
export { type SummaryCell, SummaryFamily } from './summary.js';
export { TimedHistogramFamily, type TimedRatio } from './timed.js';
export { TokenCacheMetrics } from './tokencache.js';
