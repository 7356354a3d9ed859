import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ReportDocument } from '../../core/define/report.ts'
import { summaryPieces } from '../page/html.ts'
import { PAGE, PDF, type Printer } from './printer.ts'

/** Writes the page to print into a new folder, because the data is readable only in its transaction. */
export async function writePage(document: ReportDocument, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await pipeline(
    summaryPieces(document),
    createWriteStream(join(folder, PAGE), { mode: 0o600, flags: 'wx' }),
  )
}

/** Prints the page in the folder as a PDF at `path`, and removes the folder. */
export async function renderPdf(
  { folder, path, asOfMs }: { folder: string; path: string; asOfMs: number },
  printer: Printer,
): Promise<void> {
  const made = join(folder, PDF)
  try {
    await printer.print(folder)
    await writeFile(made, datedAt(await readFile(made, 'latin1'), asOfMs), 'latin1')
    await rename(made, path)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Replaces the time of printing, so that equal data gives equal bytes with the same Chromium. */
function datedAt(pdf: string, asOfMs: number): string {
  const digits = new Date(asOfMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return pdf.replaceAll(
    /(\/(?:CreationDate|ModDate) \(D:)\d{14}[+-]\d\d'\d\d'\)/g,
    `$1${digits}+00'00')`,
  )
}
