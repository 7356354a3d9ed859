const MAX_NAME = 31

/**
 * Names as sheets may have them: at most 31 characters, none of `[]:*?/\`, no straight
 * apostrophe, none twice.
 */
export function sheetNames(titles: readonly string[]): string[] {
  const names: string[] = []
  for (const title of titles) names.push(uniqueName(title, names))
  return names
}

/** Whether the sheet is the one of that title, or one in which its table goes on. */
export function continues(title: string, name: string): boolean {
  const lower = name.toLowerCase()
  const [, number] = / \((\d+)\)$/.exec(name) ?? []
  return [1, Number(number ?? 1)].some((at) => numbered(title, at).toLowerCase() === lower)
}

/** Without the number of a sheet in which a table goes on. */
export function baseName(name: string): string {
  return name.replace(/ \(\d+\)$/, '')
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
  // One inside the name would end it where print areas name it.
  const allowed = plain.replace(/^[' ]+|[' ]+$/g, '').replaceAll("'", '’')
  // "History" is the one name that Excel keeps for itself.
  const base = allowed.replace(/^history$/i, 'History of changes') || 'Sheet'
  const suffix = number === 1 ? '' : ` (${number})`
  const letters = Array.from(base).slice(0, MAX_NAME - suffix.length)
  return letters.join('').trim() + suffix
}
