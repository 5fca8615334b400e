/**
 * The stability levels that kube-apiserver 1.37 states at the beginning of the description of a metric. Dashboards and linters read them. A
 * metric that is not listed is not one of kube-apiserver's, or has no level there (those of the process).
 */
const LEVELS = {
  STABLE: [
    'apiserver_admission_controller_admission_duration_seconds',
    'apiserver_admission_step_admission_duration_seconds',
    'apiserver_admission_webhook_admission_duration_seconds',
    'apiserver_current_inflight_requests',
    'apiserver_longrunning_requests',
    'apiserver_request_duration_seconds',
    'apiserver_request_total',
    'apiserver_requested_deprecated_apis',
    'apiserver_response_sizes',
    'apiserver_storage_objects',
    'apiserver_storage_size_bytes',
  ],
  BETA: [
    'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds',
    'apiserver_authentication_config_controller_automatic_reloads_total',
    'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
    'apiserver_authorization_config_controller_automatic_reloads_total',
    'apiserver_flowcontrol_current_executing_requests',
    'apiserver_flowcontrol_current_executing_seats',
    'apiserver_flowcontrol_current_inqueue_requests',
    'apiserver_flowcontrol_dispatched_requests_total',
    'apiserver_flowcontrol_nominal_limit_seats',
    'apiserver_flowcontrol_rejected_requests_total',
    'apiserver_flowcontrol_request_wait_duration_seconds',
    'apiserver_watch_events_sizes',
    'apiserver_watch_events_total',
    'apiserver_webhooks_x509_insecure_sha1_total',
    'apiserver_webhooks_x509_missing_san_total',
    'kubernetes_build_info',
    'kubernetes_feature_enabled',
    'registered_metrics_total',
    'serviceaccount_legacy_tokens_total',
    'serviceaccount_stale_tokens_total',
    'serviceaccount_valid_tokens_total',
    'workqueue_adds_total',
    'workqueue_depth',
    'workqueue_longest_running_processor_seconds',
    'workqueue_queue_duration_seconds',
    'workqueue_retries_total',
    'workqueue_unfinished_work_seconds',
    'workqueue_work_duration_seconds',
  ],
  ALPHA: [
    'apiserver_admission_match_condition_exclusions_total',
    'apiserver_admission_step_admission_duration_seconds_summary',
    'apiserver_admission_webhook_fail_open_count',
    'apiserver_admission_webhook_rejection_count',
    'apiserver_admission_webhook_request_total',
    'apiserver_audit_error_total',
    'apiserver_audit_event_total',
    'apiserver_audit_level_total',
    'apiserver_audit_requests_rejected_total',
    'apiserver_authentication_config_controller_last_config_info',
    'apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info',
    'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds',
    'apiserver_authentication_jwt_authenticator_latency_seconds',
    'apiserver_authorization_config_controller_last_config_info',
    'apiserver_authorization_decisions_total',
    'apiserver_authorization_match_condition_evaluation_errors_total',
    'apiserver_authorization_match_condition_evaluation_seconds',
    'apiserver_authorization_match_condition_exclusions_total',
    'apiserver_authorization_webhook_duration_seconds',
    'apiserver_authorization_webhook_evaluations_fail_open_total',
    'apiserver_authorization_webhook_evaluations_total',
    'apiserver_client_certificate_expiration_seconds',
    'apiserver_conversion_webhook_duration_seconds',
    'apiserver_conversion_webhook_request_total',
    'apiserver_crd_conversion_webhook_duration_seconds',
    'apiserver_egress_dialer_dial_duration_seconds',
    'apiserver_egress_dialer_dial_failure_count',
    'apiserver_egress_dialer_dial_start_total',
    'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    'apiserver_encryption_config_controller_automatic_reloads_total',
    'apiserver_encryption_config_controller_last_config_info',
    'apiserver_envelope_encryption_dek_source_cache_size',
    'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
    'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    'apiserver_envelope_encryption_key_id_hash_total',
    'apiserver_envelope_encryption_kms_operations_latency_seconds',
    'apiserver_flowcontrol_current_inqueue_seats',
    'apiserver_flowcontrol_current_limit_seats',
    'apiserver_flowcontrol_current_r',
    'apiserver_flowcontrol_demand_seats_average',
    'apiserver_flowcontrol_demand_seats_high_watermark',
    'apiserver_flowcontrol_demand_seats_smoothed',
    'apiserver_flowcontrol_demand_seats_stdev',
    'apiserver_flowcontrol_lower_limit_seats',
    'apiserver_flowcontrol_request_execution_seconds',
    'apiserver_flowcontrol_request_queue_length_after_enqueue',
    'apiserver_flowcontrol_seat_fair_frac',
    'apiserver_flowcontrol_target_seats',
    'apiserver_flowcontrol_upper_limit_seats',
    'apiserver_flowcontrol_watch_count_samples',
    'apiserver_flowcontrol_work_estimated_seats',
    'apiserver_impersonation_attempts_duration_seconds',
    'apiserver_impersonation_attempts_total',
    'apiserver_impersonation_authorization_attempts_duration_seconds',
    'apiserver_impersonation_authorization_attempts_total',
    'apiserver_kube_aggregator_x509_insecure_sha1_total',
    'apiserver_kube_aggregator_x509_missing_san_total',
    'apiserver_request_aborts_total',
    'apiserver_request_body_size_bytes',
    'apiserver_request_filter_duration_seconds',
    'apiserver_request_sli_duration_seconds',
    'apiserver_request_terminations_total',
    'apiserver_request_timestamp_comparison_time',
    'apiserver_resource_objects',
    'apiserver_storage_data_key_generation_duration_seconds',
    'apiserver_storage_data_key_generation_failures_total',
    'apiserver_storage_envelope_transformation_cache_misses_total',
    'apiserver_storage_transformation_duration_seconds',
    'apiserver_storage_transformation_operations_total',
    'apiserver_tls_handshake_errors_total',
    'authenticated_user_requests',
    'authentication_attempts',
    'authentication_duration_seconds',
    'authentication_token_cache_active_fetch_count',
    'authentication_token_cache_fetch_total',
    'authentication_token_cache_request_duration_seconds',
    'authentication_token_cache_request_total',
    'authorization_attempts_total',
    'authorization_duration_seconds',
    'pod_security_evaluations_total',
    'pod_security_exemptions_total',
    'rest_client_request_duration_seconds',
    'rest_client_request_size_bytes',
    'rest_client_requests_total',
    'rest_client_response_size_bytes',
    'serviceaccount_invalid_legacy_auto_token_uses_total',
    'serviceaccount_legacy_auto_token_uses_total',
    'serviceaccount_legacy_manual_token_uses_total',
    'version_info',
  ],
} as const;

/** Histograms of gauges over time: their kind of metric is an experiment, too. */
const EXPERIMENTS = [
  'apiserver_flowcontrol_demand_seats',
  'apiserver_flowcontrol_priority_level_request_utilization',
  'apiserver_flowcontrol_priority_level_seat_utilization',
  'apiserver_flowcontrol_read_vs_write_current_requests',
];

const LEVEL_OF: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LEVELS).flatMap(([level, names]) => names.map((name) => [name, level] as const)),
  ...EXPERIMENTS.map((name) => [name, 'ALPHA'] as const),
]);
const PREFIX_OF: ReadonlyMap<string, string> = new Map([
  ...[...LEVEL_OF].map(([name, level]) => [name, `[${level}]`] as const),
  ...EXPERIMENTS.map((name) => [name, 'EXPERIMENTAL: [ALPHA]'] as const),
]);

/** The number of metrics of each level, by level. */
export function levelsOf(names: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const level = LEVEL_OF.get(name);
    if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  return counts;
}

/** The metric with its level in the description. */
export function withStability<M extends { readonly name: string; readonly help: string }>(metric: M): M {
  const prefix = PREFIX_OF.get(metric.name);
  return prefix === undefined ? metric : { ...metric, help: `${prefix} ${metric.help}` };
}
