import { StoreError } from '../core/errors.ts'

interface Page {
  /** Names on the page; a list must show each only once. */
  names: readonly string[]
  /** The token of the next page; undefined at the end. */
  next: string | undefined
  /** True if the service reports more pages. */
  truncated: boolean
}

/**
 * Checks that a list ends. If a service starts over, a remembered name appears again: the first name of pages
 * 1, 2, 4, 8 and so on is remembered, which finds a cycle of any length.
 */
export function expectEnd(tried: string): (page: Page) => void {
  let remembered: string | undefined
  let pages = 0
  let empty = 0
  let asked: string | undefined
  return ({ names, next, truncated }) => {
    pages++
    empty = names.length === 0 ? empty + 1 : 0
    if (truncated && next === undefined)
      throw endless(tried, 'a page says that more follow, but not how to request them')
    if (truncated && next === asked) throw endless(tried, 'a page leads to itself')
    if (remembered !== undefined && names.includes(remembered))
      throw endless(tried, `a name appears twice, the second time on page ${pages}`)
    if (empty === MOST_EMPTY) throw endless(tried, `${MOST_EMPTY} pages in a row are empty`)
    if (pages === MOST_PAGES && truncated)
      throw endless(tried, `the list has more than ${MOST_PAGES} pages`)
    if (Number.isInteger(Math.log2(pages))) remembered = names[0] ?? remembered
    asked = next
  }
}

function endless(tried: string, came: string): StoreError {
  return new StoreError('store_list_endless', {
    tried,
    came,
    todo: "contact the support of the bucket's service: its list of objects is wrong",
  })
}

const MOST_EMPTY = 10
/** A billion files, at a thousand per page. */
const MOST_PAGES = 1_000_000
