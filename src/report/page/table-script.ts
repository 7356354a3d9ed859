import { pageScript as scriptOf } from './page-script.ts'

/** Returns the page's only script: it shows all rows of the tables, and sorts, filters and searches them. */
export function pageScript(): string {
  return scriptOf(import.meta.url, PARTS)
}

/** The script's parts in order. The bundle contains these files too (`rolldown.config.ts`). */
const PARTS = ['cells', 'order', 'table', 'start']
