import type { RelevanceSet } from './relevance-set.ts';

/** Greek: the tonos, capitals without it, and the final sigma. */
export const greek: RelevanceSet = {
  title: 'Greek',
  tools: [
    { name: 'create_invoice', description: 'Δημιουργεί νέο τιμολόγιο για έναν πελάτη.' },
    { name: 'send_email', description: 'Στέλνει μήνυμα ηλεκτρονικού ταχυδρομείου.' },
    { name: 'weather', description: 'Πρόγνωση καιρού για μια πόλη.' },
    { name: 'book_room', description: 'Κλείνει αίθουσα συσκέψεων για συγκεκριμένη ώρα.' },
    { name: 'request_leave', description: 'Υποβάλλει αίτηση άδειας στον προϊστάμενο.' },
    { name: 'track_order', description: 'Δείχνει την κατάσταση μιας παραγγελίας.' },
    { name: 'translate', description: 'Μεταφράζει κείμενο σε άλλη γλώσσα.' },
    { name: 'find_employee', description: 'Αναζήτηση υπαλλήλου με βάση το όνομα ή το τμήμα.' },
  ],
  queries: [
    {
      query: 'τι καιρό θα κάνει αύριο',
      gold: 'weather',
      why: 'accusative καιρό, genitive καιρού in the description',
    },
    { query: 'ΠΡΟΓΝΩΣΗ ΚΑΙΡΟΥ', gold: 'weather', why: 'capitals carry no tonos' },
    { query: 'νεο τιμολογιο', gold: 'create_invoice', why: 'typed without the tonos' },
    {
      query: 'αίτηση για άδεια',
      gold: 'request_leave',
      why: 'nominative of άδειας, without the final sigma',
    },
    { query: 'η κατάσταση της παραγγελίας μου', gold: 'track_order', why: 'the very words among articles' },
    { query: 'αίθουσα για αύριο', gold: 'book_room', why: 'αίθουσα decides' },
    { query: 'αναζητηση υπαλληλων', gold: 'find_employee', why: 'genitive plural, no tonos' },
  ],
};
