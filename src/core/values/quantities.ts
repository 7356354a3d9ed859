/** Puts commas between thousands. */
export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 run`, `2 runs`. */
export function counted(value: number, one: string, several = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : several}`
}

/** `812 bytes`, `20.5 KB`, `1.2 GB`: decimal, as disks are sold. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte')
  let at = 0
  let value = bytes / 1000
  for (; value >= 999.95 && at < UNITS.length - 1; at++) value /= 1000
  return `${value.toFixed(1)} ${UNITS[at]}`
}

/** `4.0 s`, `12 min`, `3 h 5 min`, `3 days`: two units at most. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (ms <= 0) return '0 s'
  if (seconds < 120) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.round(hours / 24)} days`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

const UNITS = ['KB', 'MB', 'GB', 'TB', 'PB']
