import type { RelevanceSet } from './relevance-set.ts';

/** Hindi: vowel signs are marks that belong to the word, and nukta letters are spelt in two ways. */
export const hindi: RelevanceSet = {
  title: 'Hindi',
  tools: [
    { name: 'create_invoice', description: 'ग्राहक के लिए नया बिल बनाता है।' },
    { name: 'send_email', description: 'एक या अधिक लोगों को ईमेल भेजता है।' },
    { name: 'weather', description: 'किसी शहर के मौसम का पूर्वानुमान दिखाता है।' },
    { name: 'book_train', description: 'रेलगा\u0921\u093cी का टिकट आरक्षित करता है।' },
    { name: 'request_leave', description: 'छुट्टी के लिए आवेदन प्रबंधक को भेजता है।' },
    { name: 'translate', description: 'पाठ का दूसरी भाषा में अनुवाद करता है।' },
    { name: 'account_balance', description: 'बैंक खाते में बची राशि दिखाता है।' },
    { name: 'search_file', description: 'फ़ाइल को नाम या सामग्री से खोजता है।' },
  ],
  queries: [
    { query: 'कल दिल्ली में मौसम कैसा रहेगा', gold: 'weather', why: 'मौसम decides' },
    { query: 'अंग्रेज़ी में अनुवाद करें', gold: 'translate', why: 'अनुवाद decides; another form of the verb' },
    {
      query: 'रेलगा\u095cी का टिकट',
      gold: 'book_train',
      why: 'ड़ as one code point; the description has the letter and a nukta',
    },
    { query: 'छुट्टी का आवेदन', gold: 'request_leave', why: 'both nouns are in this description' },
    { query: 'नया बिल', gold: 'create_invoice', why: 'the very words of the description' },
    { query: 'मेरे बैंक खाते में कितनी राशि है', gold: 'account_balance', why: 'three words are shared' },
    { query: 'फाइल खोजो', gold: 'search_file', why: 'nukta left out; imperative' },
  ],
};
