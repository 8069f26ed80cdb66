/**
 * Returns alerting rules for Prometheus. The labels do not name the object that a condition is
 * about, but `deskbell status` does.
 * @param added the rules of features
 */
export const writeAlertingRules = (added: readonly string[]): string => `groups:
  - name: deskbell
    rules:
      - alert: DeskbellDown
        expr: absent(deskbell_build_info)
        for: 2m
        labels:
          severity: critical
        annotations:
          summary: Prometheus gets no metrics from deskbell
          description: "Check that the daemon runs: deskbell status"
${["critical", "warning", "info"].map(severityRule).join("")}\
      - alert: DeskbellDeliveriesLate
        expr: deskbell_deliveries_oldest_due_seconds > 3600
        for: 5m
        labels:
          severity: warning
        annotations:
          summary: A webhook has been due for {{ $value | humanizeDuration }}
          description: deskbell deliveries list --status PENDING
      - alert: DeskbellStorageFilling
        expr: predict_linear(deskbell_storage_free_bytes[6h], 86400) < 0
        for: 1h
        labels:
          severity: warning
        annotations:
          summary: The disk will be full within a day
          description: deskbell status
      - alert: DeskbellCertificateExpiring
        expr: deskbell_tls_not_after_timestamp_seconds - time() < 1209600
        labels:
          severity: warning
        annotations:
          summary: The certificate of the API expires in {{ $value | humanizeDuration }}
          description: Renew it, then run systemctl reload deskbell
${added.join("")}`;

function severityRule(severity: string): string {
  const name = `${severity[0]?.toUpperCase()}${severity.slice(1)}`;
  return `      - alert: Deskbell${name}
        expr: deskbell_condition{severity="${severity}"} > 0
        keep_firing_for: 30m
        labels:
          severity: ${severity}
        annotations:
          summary: "{{ $labels.code }}: {{ $value }} open"
          description: deskbell status --severity ${severity}
`;
}
