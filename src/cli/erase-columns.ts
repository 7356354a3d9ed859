import { withWarehouse } from '../account/with-warehouse.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { count } from '../core/values/quantities.ts'
import type { RewrittenColumns } from '../erasure/rewrite-columns.ts'
import type { PolicyChange } from '../warehouse/keep-out/column-policies.ts'
import type { Context } from './frame/context.ts'
import type { Output } from './frame/output.ts'
import { heading, type TableRow } from './frame/table.ts'

/** Rewrites what is stored to the account's column policy, or lists what a rewrite would touch. */
export async function eraseColumns(
  context: Context,
  settings: AccountSettings,
  { dryRun = false, settled = false }: { dryRun?: boolean; settled?: boolean },
): Promise<number> {
  const { columnPolicyOf } = await import('../account/column-policy.ts')
  const { openErasure } = await import('../account/open-erasure.ts')
  const { rewriteColumns } = await import('../erasure/rewrite-columns.ts')
  const { output, signal } = context
  const { name: account } = settings
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const policy = columnPolicyOf(opened.wiring.config, settings)
    const { deps, close } = await openErasure(opened, { account, signal })
    try {
      const done = await rewriteColumns(deps, { account, policy, settled, dryRun, signal })
      printRewritten(output, { account, dryRun, done })
      const open = done.reports?.undecided ?? []
      for (const { file, why } of open) output.note(`Check ${file}: ${why}. Then add --settled.`)
      output.result({ account, dryRun, ...done, changes: done.changes.map(shown) })
      return open.length > 0 && !dryRun ? 1 : 0
    } finally {
      await close()
    }
  })
}

export function printRewritten(
  output: Output,
  { account, dryRun, done }: { account: string; dryRun: boolean; done: RewrittenColumns },
): void {
  const { changes, tables, reports } = done
  if (changes.length === 0)
    return output.line(`Account ${account}: everything stored is under the configured policy.`)
  for (const change of changes) output.line(`${change.name}: ${wordsOf(change)}`)
  const rows = Object.entries(tables).map(([table, rewritten]): TableRow => [table, rewritten])
  const files: TableRow[] = reports?.files ? [['report files', reports.files]] : []
  const title = dryRun ? 'rows to rewrite' : 'rows rewritten'
  if (rows.length + files.length === 0) output.line('No stored row contains these fields.')
  else output.table([heading(['table', title], {}), ...rows, ...files])
  const back = changes.flatMap(({ name, stored }) => (stored === '' ? [] : [name]))
  if (back.length > 0)
    output.note(
      `${back.join(', ')}: values that the earlier policy dropped or hashed are not stored. Those that the ` +
        'new one keeps come back with the next full read, as changed records.',
    )
  if (dryRun) output.line(`Nothing was changed. To rewrite ${count(sum(tables))} rows, use --yes.`)
}

function sum(tables: RewrittenColumns['tables']): number {
  return Object.values(tables).reduce((all, rows) => all + rows, 0)
}

function wordsOf({ stored, wanted }: PolicyChange): string {
  const [before, after] = [stored, wanted].map((text) => {
    const fields = Object.entries(fieldsOf(text))
    return fields.length === 0
      ? 'nothing'
      : fields.map(([field, how]) => `${how} ${field}`).join(', ')
  })
  return before === after ? `${after}, with another key` : `${after} (before: ${before})`
}

function fieldsOf(text: string): Record<string, string> {
  return text === '' ? {} : (JSON.parse(text) as { fields: Record<string, string> }).fields
}

function shown({ name, stored, wanted }: PolicyChange) {
  return { stream: name, before: fieldsOf(stored), after: fieldsOf(wanted) }
}
