export const alertingRules = [
  `      - alert: DeskbellBackupOld
        expr: time() - deskbell_backup_last_success_timestamp_seconds > 2 * deskbell_backup_interval_seconds and deskbell_backup_last_success_timestamp_seconds > 0
        labels:
          severity: warning
        annotations:
          summary: There has been no backup for {{ $value | humanizeDuration }}
          description: deskbell backup
`,
];
