const MAX_NAME = 31

/** Returns valid sheet names: at most 31 characters, none of `[]:*?/\`, no straight apostrophe, unique. */
export function sheetNames(titles: readonly string[]): string[] {
  const names: string[] = []
  for (const title of titles) names.push(uniqueName(title, names))
  return names
}

/** Whether the sheet has that title, or continues a table of that title. */
export function continues(title: string, name: string): boolean {
  const lower = name.toLowerCase()
  const [, number] = / \((\d+)\)$/.exec(name) ?? []
  return [1, Number(number ?? 1)].some((at) => numbered(title, at).toLowerCase() === lower)
}

export function uniqueName(title: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = numbered(title, number)
    if (!lower.has(name.toLowerCase())) return name
  }
}

function numbered(title: string, number: number): string {
  const plain = title.replace(/[[\]:*?/\\]|\p{Cc}/gu, ' ').replace(/\s+/g, ' ')
  // An apostrophe would end the name in print areas.
  const allowed = plain.replace(/^[' ]+|[' ]+$/g, '').replaceAll("'", '’')
  // Excel reserves the name "History".
  const base = allowed.replace(/^history$/i, 'History of changes') || 'Sheet'
  const suffix = number === 1 ? '' : ` (${number})`
  return (
    base
      .slice(0, MAX_NAME - suffix.length)
      .replace(HALF_LETTER, '')
      .trim() + suffix
  )
}

/** The first half of a surrogate pair, left by a cut: Excel counts UTF-16 code units. */
const HALF_LETTER = /[\ud800-\udbff]$/
