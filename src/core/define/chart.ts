import type { Coded } from '../values/code-words.ts'

export type ChartTone = 'good' | 'fair' | 'poor' | 'bad' | 'neutral' | 'accent'

export interface Chart {
  type: 'bar' | 'stacked-bar' | 'stacked-bar-100' | 'line'
  categories: readonly string[]
  /** The categories are codes, for which workbook and page show words. */
  coded?: Coded | undefined
  series: readonly {
    name: string
    values: readonly (number | null)[]
    tone?: ChartTone
  }[]
  valueFormat: 'integer' | 'percent'
}
