const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** A size for display: `4.2 MB`. */
export function byteSize(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** unit;
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`;
}
