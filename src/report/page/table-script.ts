import { pageScript as scriptOf } from './page-script.ts'

/** The only script of a page: it shows all rows of the tables, and sorts, filters and searches them. */
export function pageScript(): string {
  return scriptOf(import.meta.url, PARTS)
}

/** In this order. The bundle contains the files too (`rolldown.config.ts`). */
const PARTS = ['cells', 'order', 'table', 'start']
