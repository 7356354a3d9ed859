import { catalogueTable } from './catalogue.ts'

process.stdout.write(catalogueTable())
