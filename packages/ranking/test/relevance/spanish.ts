import type { RelevanceSet } from './relevance-set.ts';

/** Spanish: missing accents, ñ, question marks in front, plurals and clitics. */
export const spanish: RelevanceSet = {
  title: 'Spanish',
  tools: [
    { name: 'crear_factura', description: 'Crea una factura para un cliente con sus conceptos e impuestos.' },
    { name: 'anular_factura', description: 'Anula una factura emitida por error.' },
    { name: 'enviar_correo', description: 'Envía un correo electrónico a uno o varios destinatarios.' },
    {
      name: 'pronostico_tiempo',
      description: 'Pronóstico del tiempo para una ciudad: temperatura, lluvia y viento.',
    },
    { name: 'reservar_vuelo', description: 'Reserva un vuelo entre dos ciudades y elige el asiento.' },
    {
      name: 'solicitar_vacaciones',
      description: 'Solicita días de vacaciones; los aprueba la persona responsable.',
    },
    { name: 'buscar_empleado', description: 'Busca a un empleado por nombre, departamento o teléfono.' },
    { name: 'cambiar_contrasena', description: 'Cambia la contraseña de una cuenta de usuario.' },
    { name: 'devolver_pago', description: 'Devuelve al cliente el importe de un pago, completo o en parte.' },
  ],
  queries: [
    {
      query: '¿Qué tiempo hará mañana en Sevilla?',
      gold: 'pronostico_tiempo',
      why: 'tiempo decides; the query begins with an inverted question mark',
    },
    { query: 'quiero cambiar mi contrasena', gold: 'cambiar_contrasena', why: 'n for ñ' },
    { query: 'enviar correos electronicos', gold: 'enviar_correo', why: 'plural without accent' },
    { query: 'reservar dos vuelos a Bogotá', gold: 'reservar_vuelo', why: 'plural of vuelo' },
    {
      query: 'anula las facturas de ayer',
      gold: 'anular_factura',
      why: 'imperative and plural; the verb decides',
    },
    { query: 'telefono de un empleado', gold: 'buscar_empleado', why: 'missing accent' },
    { query: 'días de vacaciones', gold: 'solicitar_vacaciones', why: 'the very words of the description' },
  ],
};
