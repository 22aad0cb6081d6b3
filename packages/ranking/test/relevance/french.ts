import type { RelevanceSet } from './relevance-set.ts';

/** French: elided articles, plurals, verb forms, and accents that people leave out. */
export const french: RelevanceSet = {
  title: 'French',
  tools: [
    { name: 'creer_facture', description: 'Crée une facture pour un client, avec lignes et taux de TVA.' },
    { name: 'annuler_facture', description: "Annule une facture qui n'a pas encore été réglée." },
    {
      name: 'envoyer_courriel',
      description: 'Envoie un courriel à un ou plusieurs destinataires, avec pièces jointes.',
    },
    { name: 'meteo', description: 'Prévisions météo pour une ville, jusqu’à dix jours.' },
    { name: 'reserver_salle', description: 'Réserve une salle de réunion pour un créneau donné.' },
    { name: 'demande_conge', description: 'Dépose une demande de congés auprès du responsable.' },
    {
      name: 'note_de_frais',
      description: 'Enregistre une note de frais et son justificatif pour remboursement.',
    },
    { name: 'rechercher_employe', description: "Recherche un employé dans l'annuaire de l'entreprise." },
    { name: 'traduire_texte', description: 'Traduit un texte vers une autre langue.' },
    { name: 'etat_commande', description: "Indique l'état d'une commande et sa date de livraison." },
  ],
  queries: [
    {
      query: 'météo à Lyon demain',
      gold: 'meteo',
      why: 'the accent is in the query and the description but not in the name',
    },
    { query: 'reserver une salle de reunion', gold: 'reserver_salle', why: 'all accents left out' },
    { query: "l'état de mes commandes", gold: 'etat_commande', why: 'elided article and plural' },
    {
      query: 'envoyer un courriel avec une piece jointe',
      gold: 'envoyer_courriel',
      why: 'singular without accent; the description has the plural',
    },
    {
      query: 'je voudrais poser des congés',
      gold: 'demande_conge',
      why: 'congés decides; the rest is a polite request',
    },
    {
      query: 'annuler la facture',
      gold: 'annuler_facture',
      why: 'the verb decides between the two tools about invoices',
    },
    {
      query: 'trouver un employé dans l’annuaire',
      gold: 'rechercher_employe',
      why: 'typographic apostrophe; another verb',
    },
    { query: 'remboursement de frais', gold: 'note_de_frais', why: 'both nouns are in this description' },
  ],
};
