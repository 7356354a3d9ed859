/** The part of a sheet that is printed: widths in characters, heights in points. */
export interface PrintedPart {
  widths: readonly number[]
  heights: readonly number[]
  /** The rows at which a table, a chart or another block begins, each with the notes above it. */
  starts: readonly number[]
  /** The row of the header that later pages repeat. */
  repeated: number | undefined
  /** True for the first sheet and sheets with charts. High pages waste less space if a block moves there. */
  mixed: boolean
}

export interface PrintLayout {
  orientation: 'portrait' | 'landscape'
  /** 1: everything is on one page; 0: on any number of pages. */
  fitToHeight: 0 | 1
  /** The rows after which a page ends early, so that no block is split that fits on a page. */
  breaks: number[]
}

/** Lays a sheet out on A4: on one page if it is readable there, else on several pages. */
export function layOut(part: PrintedPart): PrintLayout {
  const characters = sum(part.widths)
  const height = sum(part.heights)
  const options = PAPERS.map(({ orientation, widthPx, heightPt }) => {
    const across = Math.min(1, widthPx / (characters * WIDEST_CHARACTER_PX))
    const pagePt = heightPt / Math.min(1, widthPx / (characters * PX_PER_CHARACTER))
    return { orientation, across, whole: Math.min(across, heightPt / height), pagePt }
  })
  const upright = options.find(({ whole }) => whole >= UPRIGHT_SCALE)
  const single = upright ?? options.toSorted((a, b) => b.whole - a.whole)[0]
  if (single !== undefined && single.whole >= SMALLEST_SCALE)
    return { orientation: single.orientation, fitToHeight: 1, breaks: [] }
  const narrow = part.mixed ? SMALLEST_SCALE : UPRIGHT_SCALE
  const several = options.find(({ across }) => across >= narrow) ?? options.at(-1)
  return {
    orientation: several?.orientation ?? 'landscape',
    fitToHeight: 0,
    breaks: breaksOf(part, several?.pagePt ?? height),
  }
}

/** Returns how many of the first columns fit on a page in readable letters. */
export function readableColumns(widths: readonly number[]): number {
  let px = 0
  const beyond = widths.findIndex((width) => {
    px += width * WIDEST_CHARACTER_PX * SMALLEST_SCALE
    return px > LANDSCAPE.widthPx
  })
  return beyond < 0 ? widths.length : Math.max(1, beyond)
}

/**
 * Moves a block to the next page if it fits there but not on this one. A block that is longer than a page
 * begins on this page if a third of it is free.
 */
function breaksOf({ heights, starts, repeated }: PrintedPart, pagePt: number): number[] {
  const breaks: number[] = []
  let used = sum(heights.slice(0, (starts[0] ?? 1) - 1))
  for (const [index, start] of starts.entries()) {
    const header = repeated !== undefined && start > repeated ? (heights[repeated - 1] ?? 0) : 0
    const room = pagePt - header
    const next = starts[index + 1] ?? heights.length + 2
    // The row above the next block is blank.
    const rows = heights.slice(start - 1, next - 2)
    const height = sum(rows)
    const needed = height > room ? room / 3 : height
    if (used > 0 && used + needed > room) {
      breaks.push(start - 1)
      used = 0
    }
    for (const [at, row] of rows.entries()) {
      // Sets this break too, because programs end pages at slightly different rows by themselves.
      if (used + row > room && index < starts.length - 1) breaks.push(start + at - 1)
      used = used + row > room ? row : used + row
    }
    used += heights[next - 2] ?? 0
  }
  return breaks
}

/** Says which columns are not printed, by their titles. */
export function leftOut(titles: readonly string[]): string[] {
  if (titles.length === 0) return []
  const named = titles.slice(0, titles.length > MOST_NAMED ? MOST_NAMED - 1 : MOST_NAMED)
  const last = named.length < titles.length ? `${titles.length - named.length} more` : named.pop()
  return [`Columns not printed: ${named.length === 0 ? '' : `${named.join(', ')} and `}${last}.`]
}

/** Returns a footer whose second line says what is not printed, and names the option that prints all. */
export function footerOf(text: string, cut: readonly string[]): string {
  const all = cut.length === 0 ? '' : `\n${escaped(cut.join(' '), MOST_CUT)} ${PRINT_ALL}`
  return `&L&8${escaped(text, MOST_FOOTER - all.length)}${all}&R&8&P / &N`
}

/** Doubles ampersands, which begin codes, and cuts the text. */
function escaped(text: string, most: number): string {
  return text
    .replaceAll('&', '&&')
    .slice(0, most)
    .replace(/(?<!&)((?:&&)*)&$/, '$1')
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The width of a digit. Programs that do not round it to pixels make columns wider. */
export const PX_PER_CHARACTER = 7
const WIDEST_CHARACTER_PX = 7.43
/**
 * The room inside the margins of an A4 page: pixels across at 96 dpi, points down. Programs measure rows a
 * little differently, so a few percent of the height stay free.
 */
const LANDSCAPE = { orientation: 'landscape', widthPx: 1045, heightPt: 500 } as const
const PAPERS = [{ orientation: 'portrait', widthPx: 717, heightPt: 740 } as const, LANDSCAPE]
/** The smallest readable scale: text of 11 points is printed with 7.2. */
const SMALLEST_SCALE = 0.65
/** A sheet is upright if it fits at this scale; a mixed one of several pages, at `SMALLEST_SCALE`. */
const UPRIGHT_SCALE = 0.68
const PRINT_ALL = 'To print all: Ignore Print Area'
const MOST_NAMED = 4
const MOST_CUT = 130
/** The maximum length of a footer without its codes: a longer one corrupts the workbook. */
const MOST_FOOTER = 235
