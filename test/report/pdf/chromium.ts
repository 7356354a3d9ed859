import { execFileSync } from 'node:child_process'
import { systemClock } from '../../../src/core/time/clock.ts'
import { findChromium } from '../../../src/report/pdf/find-chromium.ts'
import { createPrinter, type Printer } from '../../../src/report/pdf/printer.ts'

const environment = { PATH: process.env.PATH }

/** A printer with the Chromium at this path, or with the first one on PATH. */
export function printerOf(chromium: string | null, signal?: AbortSignal): Printer {
  return createPrinter({ chromium, environment, clock: systemClock, signal })
}

/** The text of a PDF, read by a program that is not ours. */
export function pdfText(path: string): string {
  return execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' })
}

/** Whether this machine can make and read PDF files. Says what it lacks if not. */
export const PRINTS_HERE = await canPrint()

async function canPrint(): Promise<boolean> {
  try {
    await findChromium({ chromium: null, environment })
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' })
    return true
  } catch (error) {
    process.stderr.write(`skipped, as this machine cannot print: ${(error as Error).message}\n`)
    return false
  }
}
