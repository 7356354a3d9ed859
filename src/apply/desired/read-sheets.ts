import { basename } from 'node:path'
import type {
  AccountRows,
  Desired,
  Placed,
  SheetForm,
  SheetReader,
} from '../../core/define/desired.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { isLargeRemoval } from '../../core/values/large-drop.ts'
import type { EngineDeps } from '../../sync/run/run-context.ts'
import { accountAsOf } from '../account-rows.ts'
import type { Wanted } from '../plan.ts'
import { readOrigin } from '../workbook/read-origin.ts'
import { readTables, type TableLine } from '../workbook/read-xlsx.ts'
import type { Wishes } from './read-wishes.ts'

/**
 * Reads the edits in a workbook. Compares cells of a Callsheet inventory with its original content, so that
 * an old workbook does not revert newer changes. A sheet with only a header means that all lines were
 * deleted; a missing sheet requests no changes.
 */
export async function readSheets(
  deps: Pick<EngineDeps, 'warehouse' | 'deletionGuard'>,
  account: string,
  { file, desired }: { file: string; desired: readonly Desired<unknown>[] },
): Promise<Wishes> {
  const origin = await readOrigin(file)
  if (origin === undefined) throw noOrigin(file)
  if (origin.account !== account) throw ofAnother(file, account, origin)
  if (origin.owner !== undefined) throw ofOneOwner(file, origin.owner)
  const base = accountAsOf(deps, account, origin.asOfMs)
  const forms = desired.flatMap((kind) => openForm(kind, base))
  const wanted = forms.map(({ sheet: { name, columns } }) => ({ sheet: name, columns }))
  const formOf = (name: string | undefined) => forms.find(({ sheet }) => sheet.name === name)
  const onTable = (name: string): void => {
    const form = formOf(name)
    if (form !== undefined) form.found = true
  }
  for await (const lines of inBatches(readTables(file, wanted, onTable))) {
    const form = formOf(lines[0]?.table)
    if (form === undefined) continue
    form.lines += lines.length
    const placed = lines.map(({ sheet, row, cells }) => ({ place: `${sheet}, row ${row}`, cells }))
    form.entries.push(...(await form.reader.take(placed)))
  }
  for (const { entries, reader, found } of forms) if (found) entries.push(...(await reader.end()))
  if (forms.every(({ lines, entries }) => lines === 0 && entries.length === 0))
    throw nothingThere(file, forms)
  const drops = forms.flatMap(({ sheet: { name }, reader }) => {
    const drop = reader.drop?.()
    if (drop === undefined) return []
    const large = isLargeRemoval(drop.deleted, drop.of, deps.deletionGuard)
    return large ? [{ sheet: name, ...drop }] : []
  })
  return {
    account,
    ...(drops[0] === undefined ? {} : { drop: drops[0] }),
    wanted: forms.flatMap(({ kind, entries }): Wanted[] =>
      entries.length === 0 ? [] : [{ desired: kind, entries }],
    ),
  }
}

interface Form {
  kind: Desired<unknown>
  sheet: SheetForm<unknown>
  reader: SheetReader<unknown>
  entries: Placed<unknown>[]
  lines: number
  /** Whether the sheet's header is in the workbook. */
  found: boolean
}

function openForm(kind: Desired<unknown>, base: AccountRows): Form[] {
  const { sheet } = kind
  return sheet === undefined
    ? []
    : [{ kind, sheet, reader: sheet.reader(base), entries: [], lines: 0, found: false }]
}

/** Groups lines of one table into batches, limited by count and by text size. */
async function* inBatches(lines: AsyncIterable<TableLine>): AsyncGenerator<TableLine[]> {
  let batch: TableLine[] = []
  let held = 0
  for await (const line of lines) {
    const full = batch.length === BATCH || held > BATCH_TEXT
    if (batch.length > 0 && (full || batch[0]?.table !== line.table)) {
      yield batch
      batch = []
      held = 0
    }
    batch.push(line)
    for (const text of Object.values(line.cells)) held += text.length
  }
  if (batch.length > 0) yield batch
}

/** Without the origin, an edit cannot be distinguished from a value that has since changed in the account. */
function noOrigin(file: string): ConfigurationError {
  return new ConfigurationError('workbook_origin', {
    tried: `Applying ${basename(file)}`,
    expected: 'a number inventory from Callsheet, with its sheet "Provenance"',
    came: 'that sheet is missing or incomplete, so the edits in the workbook cannot be identified',
    todo: 'create a new inventory with callsheet report number-inventory, edit it and apply that',
  })
}

function ofAnother(file: string, account: string, origin: { account: string }): ConfigurationError {
  return new ConfigurationError('other_account', {
    tried: `Applying ${basename(file)} to account ${account}`,
    came: `the workbook was created for account ${origin.account}`,
    todo: `apply it to that account: --account ${origin.account}`,
  })
}

/** A cut lacks the lines of others, which would pass for deleted ones. */
function ofOneOwner(file: string, owner: string): ConfigurationError {
  return new ConfigurationError('owner_cut', {
    tried: `Applying ${basename(file)}`,
    came: `the workbook has only the rows of the owner ${owner}`,
    todo: 'make the same edits in an inventory of the whole account, and apply that',
  })
}

function nothingThere(file: string, forms: readonly Form[]): ConfigurationError {
  return new ConfigurationError('no_sheet', {
    tried: `Reading ${basename(file)}`,
    expected: `a workbook with one of the sheets ${forms.map(({ sheet }) => sheet.name).join(', ')}`,
    came: 'the workbook has none of these sheets, or they have no rows',
    todo: 'create an inventory with callsheet report number-inventory, edit it and apply that',
  })
}

const BATCH = 1000
const BATCH_TEXT = 2 ** 24
