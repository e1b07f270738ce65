/** A part of the invented company. The first who joins it heads it. */
export interface Department {
  readonly name: string;
  readonly number: string;
  readonly weight: number;
  readonly head: string;
  readonly lead: string;
  readonly teams: readonly string[];
  readonly titles: readonly { readonly name: string; readonly weight: number }[];
}

const titles = (list: Readonly<Record<string, number>>) => Object.entries(list).map(([name, weight]) => ({ name, weight }));

export const departments: readonly Department[] = [
  {
    name: 'Executive Office',
    number: '1000',
    weight: 1,
    head: 'Chief Executive Officer',
    lead: 'Chief of Staff',
    teams: ['Executive Office'],
    titles: titles({ 'Executive Assistant': 3, 'Programme Manager': 1 }),
  },
  {
    name: 'Engineering',
    number: '2000',
    weight: 60,
    head: 'Vice President of Engineering',
    lead: 'Engineering Manager',
    teams: ['Platform', 'Web Applications', 'Data Engineering', 'Site Reliability', 'Quality'],
    titles: titles({
      'Software Engineer': 10,
      'Senior Software Engineer': 7,
      'Staff Engineer': 2,
      'Test Engineer': 2,
      'Site Reliability Engineer': 2,
    }),
  },
  {
    name: 'Product and Design',
    number: '2500',
    weight: 18,
    head: 'Vice President of Product',
    lead: 'Lead',
    teams: ['Product Management', 'Design', 'Research'],
    titles: titles({ 'Product Manager': 4, 'Product Designer': 4, 'User Researcher': 2, 'Technical Writer': 2 }),
  },
  {
    name: 'Customer Support',
    number: '3000',
    weight: 30,
    head: 'Director of Customer Support',
    lead: 'Support Manager',
    teams: ['First Line', 'Second Line', 'Customer Success'],
    titles: titles({ 'Support Specialist': 8, 'Senior Support Specialist': 3, 'Customer Success Manager': 3 }),
  },
  {
    name: 'Sales',
    number: '4000',
    weight: 30,
    head: 'Vice President of Sales',
    lead: 'Regional Sales Manager',
    teams: ['Europe', 'Americas', 'Sales Operations'],
    titles: titles({ 'Account Executive': 6, 'Account Manager': 4, 'Sales Engineer': 3, 'Sales Development Representative': 4 }),
  },
  {
    name: 'Marketing',
    number: '4500',
    weight: 14,
    head: 'Director of Marketing',
    lead: 'Marketing Manager',
    teams: ['Content', 'Events'],
    titles: titles({ 'Content Editor': 3, 'Event Coordinator': 2, 'Marketing Analyst': 2, 'Graphic Designer': 1 }),
  },
  {
    name: 'Finance',
    number: '5000',
    weight: 12,
    head: 'Chief Financial Officer',
    lead: 'Finance Manager',
    teams: ['Accounting', 'Purchasing'],
    titles: titles({ Accountant: 5, 'Payroll Specialist': 2, Controller: 1, Buyer: 2 }),
  },
  {
    name: 'People and Culture',
    number: '5500',
    weight: 9,
    head: 'Director of People and Culture',
    lead: 'People Manager',
    teams: ['Recruiting', 'Learning'],
    titles: titles({ Recruiter: 4, 'People Partner': 3, 'Learning Coordinator': 1 }),
  },
  {
    name: 'Legal',
    number: '6000',
    weight: 5,
    head: 'General Counsel',
    lead: 'Legal Counsel',
    teams: ['Legal'],
    titles: titles({ 'Legal Counsel': 3, Paralegal: 2, 'Privacy Officer': 1 }),
  },
  {
    name: 'IT Operations',
    number: '7000',
    weight: 16,
    head: 'Director of IT Operations',
    lead: 'IT Manager',
    teams: ['Service Desk', 'Networks', 'Identity and Security'],
    titles: titles({ 'Systems Administrator': 5, 'Service Desk Analyst': 4, 'Network Engineer': 2, 'Security Analyst': 2 }),
  },
  {
    name: 'Facilities',
    number: '8000',
    weight: 6,
    head: 'Facilities Manager',
    lead: 'Office Manager',
    teams: ['Facilities'],
    titles: titles({ Receptionist: 2, 'Facilities Technician': 2, 'Office Coordinator': 1 }),
  },
];

export interface Office {
  readonly city: string;
  readonly code: string;
  readonly weight: number;
  readonly floors: number;
  readonly street: string;
  readonly postalCode: string;
  readonly language: string;
  phone(number: number): string;
  mobile(number: number): string;
}

const three = (number: number) => String(number).padStart(3, '0');

/** Telephone numbers are from the ranges that regulators keep free for fiction, so that nobody's telephone rings. */
export const offices: readonly Office[] = [
  {
    city: 'Bristol',
    code: 'BRS',
    weight: 5,
    floors: 4,
    street: '14 Corn Quay',
    postalCode: 'BS1 9QX',
    language: 'en',
    phone: (number) => `+44 117 496 0${three(number)}`,
    mobile: (number) => `+44 7700 900${three(number)}`,
  },
  {
    city: 'Berlin',
    code: 'BER',
    weight: 4,
    floors: 3,
    street: 'Weidenhofstraße 27',
    postalCode: '10999',
    language: 'de',
    phone: (number) => `+49 30 23125 ${three(number)}`,
    mobile: (number) => `+49 171 39200 ${String(number % 100).padStart(2, '0')}`,
  },
  {
    city: 'Portland',
    code: 'PDX',
    weight: 2,
    floors: 2,
    street: '820 SW Alder Row',
    postalCode: '97205',
    language: 'en',
    phone: (number) => `+1 503 555 01${String(number % 100).padStart(2, '0')}`,
    mobile: (number) => `+1 971 555 01${String(number % 100).padStart(2, '0')}`,
  },
];
