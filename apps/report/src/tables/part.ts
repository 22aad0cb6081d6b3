export type { Part, Table } from '@winnow/service';
