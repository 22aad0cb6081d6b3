import type { RelevanceSet } from './relevance-set.ts';

/** Portuguese: nasal vowels, ç, plurals in -ões, missing accents. */
export const portuguese: RelevanceSet = {
  title: 'Portuguese',
  tools: [
    { name: 'criar_reuniao', description: 'Cria uma reunião na agenda e convida os participantes.' },
    { name: 'cancelar_reuniao', description: 'Cancela uma reunião marcada e avisa os participantes.' },
    { name: 'enviar_mensagem', description: 'Envia uma mensagem para um canal ou uma pessoa.' },
    { name: 'previsao_do_tempo', description: 'Previsão do tempo para os próximos dias em uma cidade.' },
    { name: 'emitir_nota_fiscal', description: 'Emite a nota fiscal de uma venda.' },
    { name: 'rastrear_encomenda', description: 'Mostra onde está uma encomenda pelo código de rastreio.' },
    { name: 'solicitar_ferias', description: 'Solicita férias ao gestor.' },
    { name: 'listar_transacoes', description: 'Lista as transações de uma conta bancária por período.' },
    { name: 'traduzir_texto', description: 'Traduz um texto para outro idioma.' },
  ],
  queries: [
    {
      query: 'cancelar a reuniao de amanhã',
      gold: 'cancelar_reuniao',
      why: 'missing tilde; the verb decides',
    },
    {
      query: 'previsão do tempo em Recife',
      gold: 'previsao_do_tempo',
      why: 'tilde in the query, none in the name',
    },
    { query: 'ultimas transacoes da minha conta', gold: 'listar_transacoes', why: 'ç and õ left out' },
    { query: 'quero tirar férias em julho', gold: 'solicitar_ferias', why: 'férias decides' },
    {
      query: 'notas fiscais das vendas',
      gold: 'emitir_nota_fiscal',
      why: 'plurals, the irregular fiscais included',
    },
    { query: 'onde estão minhas encomendas?', gold: 'rastrear_encomenda', why: 'plural of encomenda' },
    {
      query: 'mandar mensagens no canal',
      gold: 'enviar_mensagem',
      why: 'plural mensagens has another ending than mensagem; canal is the same',
    },
  ],
};
