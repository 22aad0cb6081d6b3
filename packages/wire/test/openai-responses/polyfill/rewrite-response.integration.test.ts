import './rewrite-response.test.ts';
