/** Metrics parsed by the rules of Prometheus' text format and of its linter. */
export interface ReadMetrics {
  families: Map<string, { type: string; help: string; series: number }>
  faults: string[]
  /** The value of the series with exactly these labels. */
  value(name: string, labels: Readonly<Record<string, string>>): number | undefined
}

export function parseMetrics(text: string): ReadMetrics {
  const families: ReadMetrics['families'] = new Map()
  const values = new Map<string, number>()
  const faults: string[] = []
  if (!text.endsWith('\n')) faults.push('the last line does not end')
  for (const line of text.split('\n')) {
    if (line === '') continue
    const told = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (told !== null) {
      const [, kind, name = '', words = ''] = told
      const family = families.get(name) ?? { type: '', help: '', series: 0 }
      const field = kind === 'HELP' ? 'help' : 'type'
      if (family[field] !== '') faults.push(`told twice: ${line}`)
      if (family.series > 0) faults.push(`told too late: ${line}`)
      families.set(name, { ...family, [field]: words })
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (sample === null) {
      faults.push(`not understood: ${line}`)
      continue
    }
    const [, name = '', labels = '', value = ''] = sample
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
    if (family === undefined || family.type === '') faults.push(`never told: ${line}`)
    else family.series++
    const key = keyOf(name, labelsIn(labels, faults))
    if (values.has(key)) faults.push(`twice: ${line}`)
    const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)
    if (Number.isNaN(number) && value !== 'Nan') faults.push(`no number: ${line}`)
    values.set(key, number)
  }
  return {
    families,
    faults,
    value: (name, labels) => values.get(keyOf(name, Object.entries(labels))),
  }
}

function labelsIn(text: string, faults: string[]): [string, string][] {
  const found: [string, string][] = []
  const rest = text.replace(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(,|$)/g, (_, name, value) => {
    found.push([String(name), String(value)])
    return ''
  })
  if (rest !== '') faults.push(`labels not understood: ${text}`)
  if (new Set(found.map(([name]) => name)).size < found.length) faults.push(`label twice: ${text}`)
  return found
}

function keyOf(name: string, labels: readonly (readonly [string, string])[]): string {
  return JSON.stringify([name, ...labels.map(([label, value]) => `${label}=${value}`).sort()])
}
