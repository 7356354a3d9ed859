import { columnLetters } from './xlsx-rows.ts'
import type { Sheet } from './xlsx-sheet.ts'
import { bodyStyle, headerStyle } from './xlsx-styles.ts'
import { excelValue } from './xlsx-value.ts'

export const LISTS = 'Lists'
/** The row of the first values, below title, subtitle, links and the lists' titles. */
const FIRST_ROW = 5

/** A hidden sheet with the values that cells offer, one list in each column. */
export class OfferedLists {
  private readonly lists: { title: string; values: readonly string[] }[] = []

  get any(): boolean {
    return this.lists.length > 0
  }

  /** Adds a list, unless another cell already offers it, and returns its range for a formula. */
  add(title: string, values: readonly string[]): string {
    const known = this.lists.findIndex((list) => list.values === values)
    const at = known < 0 ? this.lists.push({ title, values }) : known + 1
    const letters = columnLetters(at)
    return `'${LISTS}'!$${letters}$${FIRST_ROW}:$${letters}$${FIRST_ROW + values.length - 1}`
  }

  widths(): number[] {
    return this.lists.map(() => 30)
  }

  async write(sheet: Sheet): Promise<void> {
    const titles = this.lists.map(({ title }) => ({
      value: excelValue(title, 'text'),
      style: headerStyle('text'),
    }))
    sheet.write(titles)
    const longest = Math.max(...this.lists.map(({ values }) => values.length))
    for (let row = 0; row < longest; row++)
      await sheet.put(
        this.lists.map(({ values }) => ({
          value: excelValue(values[row] ?? null, 'text'),
          style: bodyStyle('text'),
        })),
      )
  }
}
