export const FIRST_NAMES = listOf(`
  Ada, Amélie, Anouk, Ben, Björn, Carla, Chidi, Chloé, Daniel, Dilnoza, Elif, Emeka, Emma, Farid,
  Fatima, Finn, Giulia, Hana, Hugo, Ines, Ivan, Jan, Jia, José, Kaja, Kenji, Lars, Leila, Liam,
  Lucía, Mads, Maja, Malik, Mei, Milan, Mina, Nadia, Noah, Nour, Olga, Omar, Paula, Priya, Rafael,
  Ravi, Rosa, Ruth, Sanna, Sara, Sota, Tariq, Tomás, Uma, Vera, Wei, Yara, Yusuf, Zoë, 美咲, Владимир
`)

export const LAST_NAMES = listOf(`
  Abe, Achterberg, Adeyemi, Almeida, Andersen, Bauer, Bianchi, Castillo, Chen, Cohen, Costa,
  D'Angelo, Diallo, Dubois, Eriksson, Fernández, Fischer, García, Haddad, Hansen, Hoffmann, Ivanova,
  Jansen, Johnson, Kaya, Kim, Kowalski, Kumar, Larsen, Lindqvist, Lopez, Mahmoud, Martin, Mensah,
  Meyer, Müller, Nakamura, Nguyen, Novák, O'Brien, Okafor, Olsen, Papadopoulos, Patel, Pereira,
  Petrov, Ricci, Rossi, Sato, Schmidt, Silva, Singh, Smith, Suzuki, Tanaka, Taylor, Virtanen,
  Wagner, Wang, Yılmaz, Zhang
`)

export const DEPARTMENTS = listOf(`
  Sales, Customer Care, Engineering, Finance, Legal, Marketing, Operations, People, Product,
  Research, Security, Support
`)

export interface Site {
  city: string
  country: string
  state: string
  timezone: string
  /** Hours east of UTC, approximately. */
  utcHours: number
  dialCode: string
  weight: number
}

export const SITES: readonly Site[] = [
  site('Amsterdam', 'NL', '', 'Europe/Amsterdam', 1, '+3120', 3),
  site('London', 'GB', '', 'Europe/London', 0, '+4420', 4),
  site('Madrid', 'ES', '', 'Europe/Madrid', 1, '+3491', 2),
  site('Warsaw', 'PL', '', 'Europe/Warsaw', 1, '+4822', 1),
  site('New York', 'US', 'NY', 'America/New_York', -5, '+1212', 4),
  site('Denver', 'US', 'CO', 'America/Denver', -7, '+1303', 2),
  site('São Paulo', 'BR', 'SP', 'America/Sao_Paulo', -3, '+5511', 1),
  site('Singapore', 'SG', '', 'Asia/Singapore', 8, '+65', 2),
  site('Bengaluru', 'IN', 'KA', 'Asia/Kolkata', 5, '+9180', 2),
  site('Tokyo', 'JP', '13', 'Asia/Tokyo', 9, '+813', 1),
]

export const TEAMS = listOf(`
  sales-emea, sales-americas, sales-apac, care-frontline, care-escalation, eng-platform, eng-mobile,
  finance-close, legal-review, marketing-launch, ops-dispatch, people-onboarding, product-council,
  research-lab, security-drill, support-tier2
`)

/** The team with bad audio for a week of the last full month, which the monthly report must show. */
export const BAD_AUDIO_TEAM = 'sales-emea'

export const RHYTHMS = ['daily', 'weekly', 'review', 'planning', 'demo', 'one-on-one']

export const WHITEBOARD_TOPICS = listOf(`
  Roadmap, Retro, Org chart, Incident timeline, Journey map, Sprint plan, Floor plan, Architecture,
  Pricing grid, Untitled, Risk register, Interview guide
`)

export const CARRIERS = [
  { code: 5411, name: 'Northline Telecom' },
  { code: 5457, name: 'Puente Carrier' },
  { code: 5602, name: 'Lattice Voice' },
  { code: 5733, name: 'Harbour Exchange' },
]

function site(
  ...[city, country, state, timezone, utcHours, dialCode, weight]: [
    string,
    string,
    string,
    string,
    number,
    string,
    number,
  ]
): Site {
  return { city, country, state, timezone, utcHours, dialCode, weight }
}

/** Splits a text at its commas, so that a list of sixty words takes few lines of code. */
function listOf(text: string): readonly string[] {
  return text.trim().split(/,\s+/)
}
