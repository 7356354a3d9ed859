interface OfSubject {
  subject: string
}

export interface Merged<Left, Right> {
  subject: string
  left: Left[]
  right: Right[]
}

/** Groups two reads by subject, including subjects of only one read. Both must be ordered by subject. */
export async function* mergeBySubject<Left extends OfSubject, Right extends OfSubject>(
  left: AsyncGenerator<Left>,
  right: AsyncGenerator<Right>,
): AsyncGenerator<Merged<Left, Right>> {
  const a = runsOf(left)
  const b = runsOf(right)
  let [x, y] = [await a.next(), await b.next()]
  while (x.done !== true || y.done !== true) {
    const subject = least(x.value?.[0]?.subject, y.value?.[0]?.subject)
    const merged: Merged<Left, Right> = { subject, left: [], right: [] }
    if (x.done !== true && x.value[0]?.subject === subject) {
      merged.left = x.value
      x = await a.next()
    }
    if (y.done !== true && y.value[0]?.subject === subject) {
      merged.right = y.value
      y = await b.next()
    }
    yield merged
  }
}

/** Subjects are ASCII, so JavaScript sorts them as the database does. */
function least(a: string | undefined, b: string | undefined): string {
  if (a === undefined || b === undefined) return a ?? b ?? ''
  return a < b ? a : b
}

async function* runsOf<Row extends OfSubject>(
  rows: AsyncGenerator<Row>,
): AsyncGenerator<Row[], undefined> {
  let run: Row[] = []
  for await (const row of rows) {
    if (run.length > 0 && run[0]?.subject !== row.subject) {
      yield run
      run = []
    }
    run.push(row)
  }
  if (run.length > 0) yield run
  return undefined
}
