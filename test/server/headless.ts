import chromium from '@sparticuz/chromium'
import axe from 'axe-core'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'

/** A real browser without a screen, from the package registry alone. */
export async function openBrowser(): Promise<Browser> {
  return await puppeteer.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--no-sandbox'],
    headless: 'shell',
  })
}

export interface Look {
  width: number
  scheme: 'light' | 'dark'
}

/** What a person would meet on a page. */
export interface Seen {
  status: number | undefined
  /** Errors that the console shows, and what the content security policy refused. */
  complaints: string[]
  /** How many pixels of the page lie beyond the right edge of the screen. */
  beyond: number
  /** What axe calls serious or critical, with the elements. */
  violations: string[]
  /** How many rules axe could judge. */
  judged: number
  /** The text as it is seen. */
  text: string
}

/** Opens an address as that screen would, and looks at it. */
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
