import { overhear } from '../../api/client/tee-body.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import { CallsheetError } from '../../core/errors/errors.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import { type OpenAccount, type OpenOptions, openAccount } from '../accounts/open-account.ts'
import type { OpenWarehouse } from '../accounts/wire.ts'
import type { Context } from '../frame/context.ts'
import { openPools } from '../frame/open-pools.ts'
import { count } from '../frame/output.ts'
import { describeError } from '../frame/print-error.ts'
import { isForbidden } from '../probe/is-forbidden.ts'
import { fieldsOf, type Probe, type Probed, recordsOf } from '../probe/probe.ts'
import { MOST_CALLS, probes } from '../probe/probes.ts'
import { type OpenReader, openReader } from '../probe/reader.ts'
import { examineAccess } from './examine-account.ts'
import { examineFileHosts, MOST_LOOKS } from './examine-file-hosts.ts'
import type { Finding } from './findings.ts'

export interface ProbedAccount {
  account: string
  mostCalls: number
  /** Requests that went out, tokens apart. */
  calls: number
  probes: readonly ProbeResult[]
}

export interface ProbeResult extends Probed {
  probe: Probe
  reads: number
}

export interface Probing {
  context: Context
  opened: OpenWarehouse
  settings: AccountSettings
  given: OpenOptions
}

/** Whether the account can be called at all, and then what became of each probe. */
export async function probeAccount(
  { context, opened, settings, given }: Probing,
  keep: (probed: ProbedAccount) => void,
): Promise<Finding[]> {
  const { signal, output } = context
  const token: { granted?: WireRecord } = {}
  const openPool = openPools()
  const listening = overhear(openPool, (body) => {
    const granted = grantOf(body)
    if (granted !== undefined) token.granted = granted
  })
  const open = await openAccount(opened, settings, {
    ...given,
    openPool: (...asked) => (asked[0] === settings.authUrl ? listening : openPool)(...asked),
  })
  try {
    const access = await examineAccess(open, signal)
    if (!access.callable) return access.findings
    const most = `${count(MOST_CALLS + MOST_LOOKS)} calls at most, all of them reads`
    output.note(`Probing ${settings.name}: ${most}, within its quotas; it may take minutes.`)
    const asked = { context, opened, granted: () => token.granted }
    const { files, ...probed } = await probeAll(open, asked)
    keep(probed)
    return [...access.findings, ...files]
  } finally {
    await open.close()
  }
}

async function probeAll(
  open: OpenAccount,
  {
    context: { signal },
    opened: { wiring },
    granted,
  }: Pick<Probing, 'context' | 'opened'> & { granted: () => WireRecord | undefined },
): Promise<ProbedAccount & { files: Finding[] }> {
  const mostCalls = MOST_CALLS + MOST_LOOKS
  const reader = openReader({ open, wiring, signal, mostCalls, granted })
  try {
    const results: ProbeResult[] = []
    for (const probe of probes) {
      reader.begin(probe.mostReads)
      const probed = await attemptProbe(reader, probe)
      signal.throwIfAborted()
      results.push({ ...probed, probe, reads: reader.spent().reads })
    }
    const files = await lookAtFiles(open, reader, wiring.config.archive)
    const { calls } = reader.spent()
    return { account: open.settings.name, mostCalls, calls, probes: results, files }
  } finally {
    await reader.close()
  }
}

/** Of what the probes were shown, and a few lists more. */
async function lookAtFiles(
  open: OpenAccount,
  reader: OpenReader,
  archive: Config['archive'],
): Promise<Finding[]> {
  const seen = reader.seen.readings.map((reading) => ({
    operation: reading.operation.id,
    // A detail is a record itself; what stands around a list names no files.
    records: [fieldsOf(reading), ...recordsOf(reading)],
  }))
  reader.begin(MOST_LOOKS)
  return await examineFileHosts(open, {
    archive,
    seen,
    list: async (operation, args) => recordsOf(await reader.read(operation, args)),
  })
}

/** One thing that cannot be asked must not hide the others. */
async function attemptProbe(reader: OpenReader, probe: Probe): Promise<Probed> {
  try {
    return await probe.run(reader)
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    const { came } = describeError(error)
    return { verdict: isForbidden(error) ? 'not allowed' : 'unclear', found: came }
  }
}

/** What the token server says of a token, without the token. */
function grantOf(body: Buffer): WireRecord | undefined {
  try {
    const { access_token, expires_in, scope, api_url } = JSON.parse(body.toString()) as WireRecord
    return typeof access_token === 'string' ? { expires_in, scope, api_url } : undefined
  } catch {
    return undefined
  }
}
