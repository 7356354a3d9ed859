import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Observer } from '../../core/define/observer.ts'
import type { Snapshots, StatusSources } from '../health/status-sources.ts'
import { ACCOUNT_METRICS } from './account-metrics.ts'
import { JOB_METRICS } from './job-metrics.ts'
import { type Series, seconds } from './metric.ts'

export interface MetricsOptions {
  observer: Observer
  notReady(): Promise<string | undefined>
  sources(): StatusSources | undefined
}

export interface MetricsText {
  text: string
  contentType: string
}

/**
 * Returns a function that renders metrics of the accounts and the process as Prometheus text. While a
 * database cannot be reached, the metrics of its accounts are omitted and `callsheet_ready` is 0.
 */
export function createMetrics(options: MetricsOptions): () => Promise<MetricsText> {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  const read = snapshotReader(options)
  return async () => {
    const own = await ownRegistry(options, await read())
    const parts = [await own.metrics(), await ofProcess.metrics()]
    return { text: parts.join('\n'), contentType: own.contentType }
  }
}

/**
 * Builds a registry for each scrape, so that accounts, causes and states that no longer exist have no series.
 */
async function ownRegistry(
  { notReady }: MetricsOptions,
  read: Snapshots | 'failed' | undefined,
): Promise<Registry> {
  const registry = new Registry()
  const isReady = read !== 'failed' && (await notReady()) === undefined
  const snapshots = read === 'failed' ? undefined : read
  fill(registry, {
    name: 'callsheet_ready',
    help: 'Whether the service runs and its database answers, as /readyz says.',
    labels: [],
    series: [[{}, isReady ? 1 : 0]],
  })
  // Omits the gauge while its value is unknown: without labels, it would be exported as 0 until it is set.
  if (snapshots !== undefined)
    fill(registry, {
      name: 'callsheet_snapshot_age_seconds',
      help: 'Age of the data that the account metrics show.',
      labels: [],
      series: [[{}, seconds(snapshots.ageMs)]],
    })
  for (const { name, help, labels, of } of [...JOB_METRICS, ...ACCOUNT_METRICS])
    fill(registry, { name, help, labels, series: of(snapshots?.value ?? []) })
  return registry
}

/** Returns a reader of snapshots that logs a failure once until a read succeeds, as scrapes are frequent. */
function snapshotReader({ observer, sources }: MetricsOptions) {
  let failing = false
  return async (): Promise<Snapshots | 'failed' | undefined> => {
    try {
      const snapshots = await sources()?.snapshots()
      failing = false
      return snapshots
    } catch (error) {
      if (!failing) observer.event('status failed', { code: (error as Error).name })
      failing = true
      return 'failed'
    }
  }
}

function fill(
  registry: Registry,
  {
    name,
    help,
    labels,
    series,
  }: { name: string; help: string; labels: readonly string[]; series: Series },
): void {
  const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] })
  for (const [values, value] of series) if (value !== undefined) gauge.set(values, value)
}
