import type { Command } from 'commander'
import { openStore } from '../account/choose-store.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import type { PreviewedFile } from '../archive/preview-prune.ts'
import type { Pruned } from '../archive/prune-archive.ts'
import type { RetentionRule } from '../archive/sql/retention-rules.ts'
import { ofAccount } from '../core/define/observer.ts'
import { ConfigurationError } from '../core/errors.ts'
import { bytesText, count, counted } from '../core/values/quantities.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import { calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccounts } from './frame/each-account.ts'
import { type Output } from './frame/output.ts'

interface PruneOptions extends CommonOptions {
  account?: string
  dryRun?: boolean
  yes?: boolean
}

export function archivePruneCommand(run: Runner): Command {
  return defineCommand('prune', 'Remove stored files whose retention has ended', [
    'archive prune --dry-run',
    'archive prune --yes --account main',
  ])
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--dry-run', 'list what would be removed and what is held')
    .option('--yes', 'remove the files; they cannot be downloaded again')
    .action((options: PruneOptions) =>
      run(options, (context) => pruneArchives(context, options), { databases: 'each' }),
    )
}

export async function pruneArchives(context: Context, options: PruneOptions): Promise<number> {
  const { config } = await context.loadConfig()
  if (options.dryRun !== true && options.yes !== true) throw notAsked()
  const { account, dryRun = false } = options
  const rules = config.archive.retention
  if (rules.length === 0)
    context.output.line('archive.retention has no rule, so nothing may be removed.')
  const result = (accounts: object[]): object => ({ dryRun, accounts })
  return await withAccounts(
    context,
    { account, migrate: !dryRun, result },
    async (opened, { name }) => {
      const task = { opened, account: name, rules }
      if (dryRun) return { code: 0, json: await preview(context, task) }
      const { pruned, result: json } = await prune(context, task)
      return { code: pruned.unproven.files > 0 ? 1 : 0, json }
    },
  )
}

interface Task {
  opened: OpenWarehouse
  account: string
  rules: readonly RetentionRule[]
}

async function prune(
  context: Context,
  { opened, account, rules }: Task,
): Promise<{ pruned: Pruned; result: object }> {
  const { openEvidence } = await import('../account/open-evidence.ts')
  const { pruneArchive } = await import('../archive/prune-archive.ts')
  const { appendEvidence } = await import('../evidence/append-evidence.ts')
  const { output, clock, signal } = context
  const { config } = opened.wiring
  const observer = ofAccount(opened.wiring.observer, account)
  const store = await openStore({ config, clock }, account)
  try {
    const { warehouse } = opened
    const evidence = openEvidence({ config, clock })
    const recordRemovals = async (lease: Lease): Promise<void> => {
      const wanted = { ...evidence, account, lease, signal, store }
      const { problems } = await appendEvidence({ warehouse, clock, observer }, wanted)
      for (const problem of problems) output.note(problem)
    }
    const { key } = evidence
    const deps = { warehouse, clock, observer, store, key, recordRemovals }
    const pruned = await pruneArchive(deps, { account, rules, signal })
    printPruned(output, { account, rules, pruned })
    return { pruned, result: { account, ...pruned, locked: lockedJson(pruned.locked) } }
  } finally {
    await store.close()
  }
}

function printPruned(
  output: Output,
  { account, rules, pruned }: { account: string; rules: readonly RetentionRule[]; pruned: Pruned },
): void {
  const { byRule, finished, kept, locked, unproven } = pruned
  output.line(`Account ${account}`)
  if (byRule.length === 0) output.line('No file was due for removal.')
  for (const { rule, files, bytes } of byRule)
    output.line(`Removed ${amount(files, bytes)}: ${ruleText(rules, rule)}`)
  if (finished > 0)
    output.line(`Removed ${count(finished)} contents that an interrupted prune had left.`)
  for (const { hold, files, bytes } of kept)
    output.line(
      hold === null
        ? `Kept ${amount(files, bytes)}: other files with the same content stay.`
        : `Held ${amount(files, bytes)} by ${hold}.`,
    )
  if (locked.files > 0)
    output.line(
      `Locked by the store ${amount(locked.files, locked.bytes)}${until(locked.untilMs)}.`,
    )
  if (unproven.files > 0)
    output.line(
      `${counted(unproven.files, 'file stays', 'files stay')}, because the removal ` +
        `could not be recorded (first: ${unproven.first}). Run ${calledAs('callsheet')} verify.`,
    )
}

/** Prints a line for each file, and returns the totals with the first `LISTED` files. */
async function preview(context: Context, { opened, account, rules }: Task): Promise<object> {
  const { previewPrune } = await import('../archive/preview-prune.ts')
  const { output, clock } = context
  const { warehouse, wiring } = opened
  const store = await openStore({ config: wiring.config, clock }, account)
  const sums = new Map<string, { files: number; bytes: number }>()
  const listed: PreviewedFile[] = []
  let files = 0
  let unfinished = 0
  try {
    output.line(
      `Account ${account}: what ${calledAs('callsheet')} archive prune --yes would do now`,
    )
    unfinished = (
      await previewPrune({ warehouse, store }, { account, rules }, (file) => {
        const why = whyOf(file, rules)
        const sum = sums.get(why) ?? { files: 0, bytes: 0 }
        sums.set(why, { files: sum.files + 1, bytes: sum.bytes + file.size })
        if (++files <= LISTED) listed.push(file)
        output.line(fileLine(file, why))
      })
    ).unfinished
  } finally {
    await store.close()
  }
  if (files === 0) output.line('Nothing is due.')
  else output.line()
  if (unfinished > 0)
    output.line(`${count(unfinished)} contents that an interrupted prune left are removed first.`)
  for (const [why, sum] of sums) output.line(`${amount(sum.files, sum.bytes)}: ${why}`)
  output.line()
  const totals = [...sums].map(([why, sum]) => ({ why, ...sum }))
  return { account, totals, unfinished, files: listed, filesLeftOff: files - listed.length }
}

function fileLine(
  { kind, parent, item, at, size, whiteboard }: PreviewedFile,
  why: string,
): string {
  const board = whiteboard === null ? '' : ` of board ${whiteboard}`
  return `  ${at.slice(0, 10)}  ${kind} ${item} in ${parent}${board}, ${bytesText(size)}: ${why}`
}

function whyOf(file: PreviewedFile, rules: readonly RetentionRule[]): string {
  const rule = ruleText(rules, file.rule)
  if (file.verdict === 'held') return `held by ${file.hold} (else ${rule})`
  if (file.verdict === 'shared') return `stays, as another file has the same content (else ${rule})`
  if (file.verdict === 'locked') return `locked by the store (else ${rule})`
  return `goes: ${rule}`
}

function ruleText(rules: readonly RetentionRule[], at: number): string {
  const { keepDays, whiteboards, labels } = rules[at] ?? {}
  const of = [
    whiteboards === undefined ? '' : ` of ${count(whiteboards.length)} boards`,
    labels === undefined ? '' : ` labelled ${labels.join(' or ')}`,
  ]
  return `archive.retention[${at}], older than ${count(keepDays ?? 0)} days${of.join('')}`
}

function amount(files: number, bytes: number): string {
  return `${counted(files, 'file')} (${bytesText(bytes)})`
}

function until(untilMs: number): string {
  return Number.isFinite(untilMs) ? ` until ${new Date(untilMs).toISOString()} at the latest` : ''
}

function lockedJson({ untilMs, ...locked }: Pruned['locked']): object {
  const finite = Number.isFinite(untilMs) && untilMs > 0
  return { ...locked, until: finite ? new Date(untilMs).toISOString() : null }
}

function notAsked(): ConfigurationError {
  return new ConfigurationError('not_confirmed', {
    tried: 'Removing files from the archive',
    came: 'both --dry-run and --yes are missing',
    todo: 'add --dry-run to list the files that would be removed, or --yes to remove them',
  })
}

const LISTED = 10_000
