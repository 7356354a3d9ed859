import type { AccountSnapshot } from '../health/snapshot.ts'

/** Values by labels. An undefined value is omitted. */
export type Series = readonly (readonly [Readonly<Record<string, string>>, number | undefined])[]

/** A gauge over accounts. Names follow Prometheus conventions: seconds, bytes, no plural. */
export interface Metric {
  name: string
  help: string
  labels: readonly string[]
  of(snapshots: readonly AccountSnapshot[]): Series
}

/** A metric with series for each account. */
export function perAccount(
  metric: Omit<Metric, 'of' | 'labels'> & { labels?: readonly string[] },
  of: (snapshot: AccountSnapshot) => Series,
): Metric {
  const { labels = [], ...named } = metric
  return {
    ...named,
    labels: ['account', ...labels],
    of: (snapshots) =>
      snapshots.flatMap((snapshot) =>
        of(snapshot).map(
          ([values, value]) => [{ account: snapshot.account, ...values }, value] as const,
        ),
      ),
  }
}

export function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000
}

export function instantSeconds(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant) / 1000
}
