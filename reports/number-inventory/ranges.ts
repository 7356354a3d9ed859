import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { count } from '../../src/core/values/quantities.ts'
import { section } from '../shared/blocks.ts'
import { cursorTable, queryRows, tableColumns } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

/** Groups the account's numbers into consecutive ranges, with used, free and missing counts. */
export async function rangesSection(source: NumberSource): Promise<Section> {
  const { db } = source
  const columns = tableColumns([
    { name: 'first', title: 'From', format: 'text' },
    { name: 'last', title: 'To', format: 'text' },
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'assigned', title: 'Assigned', format: 'integer' },
    { name: 'free', title: 'Free', format: 'integer' },
    { name: 'used_share', title: 'Used', format: 'percent' },
    { name: 'missing', title: 'Not in the account', format: 'integer' },
    { name: 'gaps', title: 'Gaps', format: 'integer' },
    { name: 'free_block', title: 'Longest free block', format: 'integer' },
    { name: 'block_from', title: 'Block from', format: 'text' },
    { name: 'sites', title: 'Site', format: 'text' },
    { name: 'products', title: 'Product', format: 'text', coded: 'service' },
  ])
  const ranges = await source.keep('number_ranges', sql<Range>`(${rangesOf(source)})`)
  const [alone] = await queryRows<{ n: number; unread: number }>(
    db,
    sql`select count(*) filter (where numbers = 1)::int as n,
      (select count(*)::int from ${source.numbers} n where (${E164}) is not true) as unread
      from ${ranges} r`,
  )
  const text =
    'Ranges of consecutive numbers, the largest first. A range continues across gaps of up to ' +
    `${String(WIDEST_STEP - 1)} numbers that are not in the account. A free block is a ` +
    'sequence of consecutive numbers that are in the account and unassigned. Not listed: ' +
    `${count(alone?.n ?? 0)} single numbers, and ${count(alone?.unread ?? 0)} that are not in ` +
    'international format.'
  const query = sql`select * from ${ranges} r where numbers > 1 order by numbers desc, first`
  const empty = 'There are no consecutive numbers.'
  return section(TITLE, text, cursorTable(db, { title: TITLE, columns, empty }, query))
}

interface Range {
  first: string
  last: string
  numbers: number
  assigned: number
  free: number
  used_share: number
  missing: number
  gaps: number
  free_block: number | null
  block_from: string | null
  sites: string | null
  products: string | null
}

/**
 * Raw SQL, because it numbers rows in windows. A number with two IDs counts once, and as assigned if one of
 * them is. A free block ends where a number is assigned or missing.
 */
function rangesOf({ numbers }: NumberSource) {
  return sql`
    with dialled as (
      select substr(number, 2)::bigint as digits, length(number) as size, bool_or(assigned) as used,
        min(coalesce(nullif(site_name, ''), site_id)) as site, min(allocated_product) as product
      from ${numbers} n where ${E164} group by 1, 2),
    steps as (
      select *, digits - lag(digits) over w as step,
        digits - row_number() over (partition by size, used order by digits) as block
      from dialled window w as (partition by size order by digits)),
    marked as (
      select *, count(*) filter (where step is null or step > ${WIDEST_STEP}) over w as range
      from steps window w as (partition by size order by digits)),
    blocks as (
      select size, range, count(*)::int as free_block, min(digits) as block_from,
        row_number() over (partition by size, range order by count(*) desc, min(digits)) as place
      from marked where not used group by size, range, block),
    ranges as (
      select size, range, min(digits) as first, max(digits) as last, count(*)::int as numbers,
        count(*) filter (where used)::int as assigned, count(*) filter (where not used)::int as free,
        count(*) filter (where used)::float8 / count(*) as used_share,
        (max(digits) - min(digits) + 1 - count(*))::int as missing,
        count(*) filter (where step between 2 and ${WIDEST_STEP})::int as gaps,
        string_agg(distinct site, ', ') as sites, string_agg(distinct product, ', ') as products
      from marked group by size, range)
    select '+' || first as first, '+' || last as last, numbers, assigned, free, used_share, missing, gaps,
      free_block, '+' || block_from as block_from, sites, products
    from ranges left join (select * from blocks where place = 1) b using (size, range)`
}

const TITLE = 'Ranges'
/** Matches `+` and 2 to 15 digits. Counting the digits in the pattern takes three times as long. */
const E164 = sql`number ~ '^[+][1-9][0-9]+$' and length(number) <= 16`
/** The largest difference between neighboring numbers of one range. */
const WIDEST_STEP = 10
