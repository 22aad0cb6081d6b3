import type { RelevanceSet } from './relevance-set.ts';

/** German: umlauts and their spellings, inflected nouns and verbs, compounds. */
export const german: RelevanceSet = {
  title: 'German',
  tools: [
    {
      name: 'rechnung_erstellen',
      description: 'Erstellt eine Rechnung für einen Kunden mit Positionen und Steuersatz.',
    },
    { name: 'rechnung_stornieren', description: 'Storniert eine Rechnung, die noch nicht bezahlt wurde.' },
    { name: 'email_senden', description: 'Sendet eine E-Mail an einen oder mehrere Empfänger.' },
    { name: 'wetter_vorhersage', description: 'Wettervorhersage für einen Ort, bis zu zehn Tage.' },
    { name: 'raum_buchen', description: 'Bucht einen Besprechungsraum für einen bestimmten Zeitraum.' },
    { name: 'urlaub_beantragen', description: 'Stellt einen Antrag auf Urlaub bei der Führungskraft.' },
    { name: 'reisekosten_einreichen', description: 'Reicht Reisekosten mit Belegen zur Erstattung ein.' },
    { name: 'mitarbeiter_suchen', description: 'Sucht Mitarbeiter nach Name, Abteilung oder Standort.' },
    { name: 'text_uebersetzen', description: 'Übersetzt einen Text in eine andere Sprache.' },
    {
      name: 'bestellung_verfolgen',
      description: 'Zeigt, wo sich eine Bestellung gerade befindet und wann sie geliefert wird.',
    },
    { name: 'strassen_suchen', description: 'Findet eine Straße oder Hausnummer auf der Karte.' },
  ],
  queries: [
    {
      query: 'Wie wird das Wetter am Wochenende?',
      gold: 'wetter_vorhersage',
      why: 'Wetter is a part of the name; in the description it is inside a compound',
    },
    {
      query: 'offene Rechnungen stornieren',
      gold: 'rechnung_stornieren',
      why: 'plural of Rechnung; the verb decides',
    },
    {
      query: 'Urlaubsantrag stellen',
      gold: 'urlaub_beantragen',
      why: 'a compound of two words that stand apart in the description; stellen is inflected there',
    },
    {
      query: 'Text ins Englische übersetzen',
      gold: 'text_uebersetzen',
      why: 'ü in the query, ue in the name, Ü in the description',
    },
    {
      query: 'einen Raum für morgen buchen',
      gold: 'raum_buchen',
      why: 'the words of the name in a sentence',
    },
    { query: 'Wo sind meine Bestellungen?', gold: 'bestellung_verfolgen', why: 'plural of Bestellung' },
    { query: 'Strasse finden', gold: 'strassen_suchen', why: 'Swiss spelling of Straße' },
    { query: 'Belege für die Reisekosten', gold: 'reisekosten_einreichen', why: 'nominative of Belegen' },
    { query: 'E-Mail an die Empfaenger', gold: 'email_senden', why: 'ae for ä; E-Mail is email in the name' },
  ],
};
