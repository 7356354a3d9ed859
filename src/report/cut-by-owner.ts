import { type RawBuilder, sql } from 'kysely'
import type { CutSource, OwnedRows, Owner, OwnerField } from '../core/define/owner.ts'
import type { Note, Report, ReportContext } from '../core/define/report.ts'
import type { Stream } from '../core/define/stream.ts'
import type { Relation } from '../core/define/stream-row.ts'
import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { counted } from '../core/values/quantities.ts'

type Context = ReportContext<Record<string, unknown>, Stream, Record<string, unknown>>

interface Cutting {
  report: Report
  owners: readonly Owner[]
  /** The owner's place in the list; undefined for the rows that belong to nobody. */
  at: number | undefined
}

/** Returns the owners for whom a report can be cut. */
export function ownersOf({ cut }: Pick<Report, 'cut'>, owners: readonly Owner[]): Owner[] {
  return owners.filter((owner) => cut?.by.some((field) => owner[field].length > 0) === true)
}

/** Refuses an owner for whom the report cannot be cut. Returns the place in the list of owners. */
export function placeOfOwner(
  report: Report,
  owners: readonly Owner[],
  name: unknown,
): number | undefined {
  if (name === undefined) return undefined
  const tried = `Cutting the report ${report.name} by owner`
  if (report.cut === undefined)
    throw new ConfigurationError('report_owner', {
      tried,
      came: 'this report is about the whole account, so it cannot be cut',
      todo: 'leave out --owner',
    })
  const at = owners.findIndex((owner) => owner.name === name)
  const owner = owners[at]
  if (owner === undefined)
    throw new ConfigurationError('report_owner', {
      tried,
      expected: `one of ${owners.map((one) => one.name).join(', ') || 'no owner: reports.owners is empty'}`,
      came: 'reports.owners has no owner of this name',
      todo: 'correct the name, or add the owner to reports.owners',
    })
  if (ownersOf(report, [owner]).length > 0) return at
  const fields = report.cut.by.join(' and ')
  throw new ConfigurationError('report_owner', {
    tried,
    came: `the owner ${owner.name} has no ${fields}, by which this report is cut`,
    todo: `add ${fields} to the owner in reports.owners, or choose another report`,
  })
}

/** Returns the context of a cut: its rows are the owner's, and any stream without owners is refused. */
export async function cutContext(context: Context, cutting: Cutting): Promise<Context> {
  const now = await ownedIn(context, cutting, '')
  const { previousRows } = context
  const before =
    previousRows && (await ownedIn({ ...context, rows: previousRows }, cutting, 'previous '))
  const part = (rows: Context['rows'], owned: OwnedRows) =>
    ((stream: Stream) => ownedRows(rows(stream), stream, owned)) as Context['rows']
  return {
    ...context,
    owner: cutting.at === undefined ? undefined : cutting.owners[cutting.at]?.name,
    rows: part(context.rows, now),
    // The cast: each keeps the columns of the relation that it narrows.
    goneRows: part(context.goneRows, now) as Context['goneRows'],
    versions: part(context.versions, now) as Context['versions'],
    previousRows: previousRows && before && part(previousRows, before),
    low: context.low.map((one) => ({ ...one, countless: true })),
  }
}

/** Notes how many of the report's rows belong to no owner; nothing if no owner has a cut of it. */
export async function ownerlessNotes(
  context: Context,
  report: Report,
  owners: readonly Owner[],
): Promise<Note[]> {
  if (report.cut === undefined || ownersOf(report, owners).length === 0) return []
  // Only the present rows are counted.
  const present = { ...context, previousRows: undefined }
  const theirs = await cutContext(present, { report, owners, at: undefined })
  const found = (await report.cut.count(theirs)).filter(({ count }) => count > 0)
  if (found.length === 0) return []
  const rows = found.map(({ count, one, many }) => counted(count, one, many)).join(' and ')
  const belong = found.length === 1 && found[0]?.count === 1 ? 'belongs' : 'belong'
  const text = `${rows} ${belong} to no owner in reports.owners, so only this report shows them.`
  return [{ kind: 'note', tone: 'plain', text }]
}

async function ownedIn(
  { rows, goneRows, versions, keep }: Context,
  { report, owners, at }: Cutting,
  prefix: string,
): Promise<OwnedRows> {
  const source: CutSource<Stream> = {
    rows,
    goneRows,
    versions,
    keep: (name, query) => keep(`${prefix}${name}`, query),
    place: (by, value) => placeIn(owners, by, value),
    isOwned: (place) => (at === undefined ? sql`(${place}) is null` : sql`(${place}) = ${at}::int`),
  }
  // Callers check that the report has a cut.
  return (await report.cut?.owned(source)) ?? new Map()
}

/** Gives a row to the first owner who matches. Raw SQL, because the number of owners varies. */
function placeIn(
  owners: readonly Owner[],
  by: OwnerField,
  value: RawBuilder<unknown>,
): RawBuilder<number | null> {
  const cases = owners.flatMap((owner, at) => {
    const operator = by === 'sessionKeys' ? sql`~` : sql`=`
    return owner[by].length === 0
      ? []
      : [sql`when ${value} ${operator} any(${owner[by]}::text[]) then ${at}::int`]
  })
  return cases.length === 0 ? sql`null::int` : sql`case ${sql.join(cases, sql` `)} end`
}

function ownedRows(
  relation: Relation<unknown>,
  stream: Stream,
  owned: OwnedRows,
): Relation<unknown> {
  const condition = owned.get(stream)
  if (condition !== undefined) return sql`(select r.* from ${relation} r where ${condition})`
  throw new CallsheetError('report_cut', {
    tried: `Reading ${stream.name} for one owner`,
    came: 'the report does not say which of its rows belong to whom',
    todo: 'leave the section out of the cut, or add the stream to the report’s cut',
  })
}
