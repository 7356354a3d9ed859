export type ChartTone = 'good' | 'fair' | 'poor' | 'bad' | 'neutral' | 'accent'

export interface Chart {
  type: 'bar' | 'stacked-bar' | 'stacked-bar-100' | 'line'
  categories: readonly string[]
  /** The categories are codes of the service, for which workbook and page show words. */
  coded?: boolean
  series: readonly {
    name: string
    values: readonly (number | null)[]
    tone?: ChartTone
  }[]
  valueFormat: 'integer' | 'percent'
}
