import { plainEnvironment } from '../config/environment.ts'
import { createPrinter, type Printer } from '../report/pdf/printer.ts'
import type { Wiring } from './wire.ts'

export function openPrinter(
  { config, clock }: Pick<Wiring, 'config' | 'clock'>,
  signal?: AbortSignal,
): Printer {
  const { chromium } = config.reports
  return createPrinter({ chromium, environment: plainEnvironment(), clock, signal })
}
