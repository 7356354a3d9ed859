import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import axe from 'axe-core'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'

/**
 * A real headless browser. The package contains it with its libraries and fonts. It is started without the
 * package's flags that disable web security.
 */
export async function openBrowser(): Promise<Browser> {
  const bin = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')))
  const executablePath = await chromium.executablePath(bin)
  const libraries = join(await inflate(join(bin, 'al2023.tar.br')), 'lib')
  const { LD_LIBRARY_PATH: others } = process.env
  return await puppeteer.launch({
    executablePath,
    args: [...chromium.args.filter((flag) => !LAWLESS.has(flag)), '--no-sandbox'],
    headless: 'shell',
    env: {
      ...process.env,
      LD_LIBRARY_PATH: others === undefined ? libraries : `${others}:${libraries}`,
      FONTCONFIG_PATH: join(tmpdir(), 'fonts'),
    },
  })
}

export interface Look {
  width: number
  scheme: 'light' | 'dark'
}

/** What a page shows, and what is wrong with it. */
export interface Seen {
  status: number | undefined
  /** Console errors and warnings, dialogs, failed requests and violations of the content security policy. */
  complaints: string[]
  /** How many pixels the page is wider than the screen. */
  beyond: number
  /** The serious and critical violations that axe found, with their elements. */
  violations: string[]
  /** The number of rules that passed. */
  judged: number
  /** The visible text. */
  text: string
}

/** Opens an address in the given width and color scheme, and examines the page. */
export async function lookAt(
  browser: Browser,
  url: string,
  { width, scheme, picture }: Look & { picture?: string },
): Promise<Seen> {
  const page = await browser.newPage()
  try {
    const complaints = await listen(page)
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    const response = await page.goto(url, { waitUntil: 'load' })
    const beyond = (await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )) as number
    const text = (await page.evaluate('document.body.innerText')) as string
    if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true })
    return { status: response?.status(), complaints, beyond, text, ...(await judge(page)) }
  } finally {
    await page.close()
  }
}

async function listen(page: Page): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('requestfailed', (request) => complaints.push(`not loaded: ${request.url()}`))
  await page.evaluateOnNewDocument(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error('refused: ' + event.violatedDirective + ' ' + event.blockedURI))`)
  return complaints
}

/** Adds an inline script to a page, and returns the complaints. */
export async function runInline(browser: Browser, url: string): Promise<Pick<Seen, 'complaints'>> {
  const page = await browser.newPage()
  try {
    const complaints = await listen(page)
    await page.goto(url, { waitUntil: 'load' })
    await page.evaluate(`document.body.append(Object.assign(document.createElement('script'),
      { textContent: 'alert(1)' }))`)
    return { complaints }
  } finally {
    await page.close()
  }
}

async function judge(page: Page): Promise<Pick<Seen, 'violations' | 'judged'>> {
  await page.evaluate(axe.source)
  const results = (await page.evaluate('axe.run()')) as axe.AxeResults
  const serious = results.violations.filter(
    ({ impact }) => impact === 'serious' || impact === 'critical',
  )
  return {
    violations: serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    judged: results.passes.length,
  }
}

const LAWLESS = new Set([
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--disable-web-security',
])
