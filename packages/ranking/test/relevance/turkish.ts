import type { RelevanceSet } from './relevance-set.ts';

/** Turkish: dotted and dotless i in both cases, and suffixes in chains. */
export const turkish: RelevanceSet = {
  title: 'Turkish',
  tools: [
    { name: 'fatura_olustur', description: 'Müşteri için yeni bir fatura oluşturur.' },
    { name: 'eposta_gonder', description: 'Bir veya daha fazla alıcıya e-posta gönderir.' },
    { name: 'hava_durumu', description: 'Seçilen şehir için hava durumu tahminini gösterir.' },
    { name: 'toplanti_planla', description: 'Takvimde toplantı planlar ve katılımcıları davet eder.' },
    { name: 'izin_talebi', description: 'Yöneticiye yıllık izin talebi gönderir.' },
    { name: 'kargo_takip', description: 'Kargonun nerede olduğunu takip numarasıyla bulur.' },
    { name: 'doviz_kuru', description: 'Güncel döviz kurlarını listeler.' },
    { name: 'metin_cevir', description: 'Bir metni başka bir dile çevirir.' },
    { name: 'ısıtma_ayarla', description: 'Odanın sıcaklığını ayarlar.' },
  ],
  queries: [
    {
      query: 'İstanbul hava durumu',
      gold: 'hava_durumu',
      why: 'dotted capital İ next to the words of the name',
    },
    { query: 'YILLIK İZİN', gold: 'izin_talebi', why: 'capitals: I is the capital of ı, İ that of i' },
    {
      query: 'kargom nerede',
      gold: 'kargo_takip',
      why: 'possessive suffix on kargo; nerede is in the description',
    },
    {
      query: 'toplantı planlamak istiyorum',
      gold: 'toplanti_planla',
      why: 'infinitive; ı in the query, i in the name',
    },
    { query: 'müşteriye fatura kes', gold: 'fatura_olustur', why: 'fatura decides; dative of müşteri' },
    {
      query: 'doviz kurlari',
      gold: 'doviz_kuru',
      why: 'marks left out; plural without the accusative of the description',
    },
    {
      query: 'oda sıcaklığı',
      gold: 'ısıtma_ayarla',
      why: 'nominative; the description has genitive and accusative',
    },
  ],
};
