import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPrinter } from '../../account/open-printer.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import { PAGE } from '../../report/pdf/printer.ts'
import type { Finding } from './findings.ts'

/** Makes a PDF of an empty page, if reports are configured to be made as PDF. */
export async function examineChromium(
  config: Config,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Finding[]> {
  if (!config.reports.formats.includes('pdf')) return []
  const printer = openPrinter({ config, clock }, signal)
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-pdf-'))
  try {
    await writeFile(join(folder, PAGE), '<!doctype html><title>Callsheet</title>')
    await printer.print(folder)
    return [{ check: 'PDF', state: 'ok', text: `made by ${await printer.find()}` }]
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
