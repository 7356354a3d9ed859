import { stringify } from 'yaml'
import type { Probed, Proposal } from './probe.ts'

export interface Snippet {
  /** The number of settings to adopt. */
  adopted: number
  /** The settings as written in the configuration. */
  settings: string
  /** The same, with remarks on differences that have no setting. */
  file: string
}

interface Found extends Probed {
  probe: { id: string; assumption: string }
}

/** What to write into the configuration, and what is only information. */
export function snippetOf(
  accounts: readonly { account: string; probes: readonly Found[] }[],
): Snippet {
  const proposed = accounts.flatMap(({ account: name, probes }) => {
    const settings: Proposal = Object.assign({}, ...probes.map((probed) => probed.settings ?? {}))
    return Object.keys(settings).length === 0 ? [] : [{ name, ...settings }]
  })
  const adopted = proposed.reduce(
    (sum, { name: _name, ...settings }) => sum + Object.keys(settings).length,
    0,
  )
  const settings = adopted === 0 ? '' : stringify({ accounts: proposed }, NO_ALIASES)
  const remarks = accounts.flatMap(({ account, probes }) =>
    probes
      .filter((probed) => probed.verdict === 'differs' && probed.settings === undefined)
      .map(({ probe, found, means = 'nothing is known' }) => [
        `# ${account}, ${probe.id}: ${probe.assumption}.`,
        `#   ${found}.`,
        `#   For a sync: ${means}.`,
      ]),
  )
  const head = [
    '# Found by callsheet doctor --probe. What you adopt goes into the account of that name in config.yaml.',
    ...(adopted === 0 ? ['# There is nothing to adopt.'] : []),
    ...(remarks.length === 0
      ? []
      : ['#', '# What differs from what was assumed, and no setting changes:']),
    ...remarks.flat(),
  ]
  return { adopted, settings, file: `${head.map(oneLine).join('\n')}\n${settings}` }
}

/** The text may quote the service: a line break would end the remark. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, LONGEST)
}

/** Two accounts of one plan share its figures, but the configuration accepts no alias. */
const NO_ALIASES = { aliasDuplicateObjects: false }
const LONGEST = 1_000
