import type { RelevanceSet } from './relevance-set.ts';

/** Czech: háčky and čárky, seven cases, and queries typed without any of the marks. */
export const czech: RelevanceSet = {
  title: 'Czech',
  tools: [
    { name: 'vytvorit_fakturu', description: 'Vytvoří fakturu pro zákazníka s položkami a sazbou DPH.' },
    { name: 'odeslat_zpravu', description: 'Odešle zprávu do kanálu nebo konkrétní osobě.' },
    { name: 'predpoved_pocasi', description: 'Předpověď počasí pro město na několik dní.' },
    { name: 'rezervovat_mistnost', description: 'Rezervuje zasedací místnost na zadaný čas.' },
    { name: 'zadost_o_dovolenou', description: 'Podá žádost o dovolenou, kterou schvaluje vedoucí.' },
    { name: 'hledat_zamestnance', description: 'Vyhledá zaměstnance podle jména nebo oddělení.' },
    { name: 'jizdni_rad', description: 'Najde vlakové a autobusové spojení mezi dvěma městy.' },
    { name: 'prelozit_text', description: 'Přeloží text do jiného jazyka.' },
  ],
  queries: [
    { query: 'jaké bude počasí v Brně', gold: 'predpoved_pocasi', why: 'počasí decides' },
    { query: 'rezervovat mistnost na zitra', gold: 'rezervovat_mistnost', why: 'no marks in the query' },
    { query: 'vytvoř novou fakturu', gold: 'vytvorit_fakturu', why: 'imperative; fakturu is the same' },
    { query: 'faktury pro zákazníky', gold: 'vytvorit_fakturu', why: 'plurals of faktura and zákazník' },
    {
      query: 'poslat zpravy do kanalu',
      gold: 'odeslat_zpravu',
      why: 'plural of zpráva without marks, genitive kanálu',
    },
    {
      query: 'vlakové spojení do Prahy',
      gold: 'jizdni_rad',
      why: 'an adjective that agrees with its noun as in the description',
    },
    {
      query: 'najít zaměstnance',
      gold: 'hledat_zamestnance',
      why: 'zaměstnance decides; the verb najde stands in another tool',
    },
  ],
};
