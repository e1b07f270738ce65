/** Names that go together, as they are met in one place. `woman` and `man` are given names. */
export interface Names {
  readonly language: string;
  readonly woman: readonly string[];
  readonly man: readonly string[];
  readonly surnames: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

export const names: readonly Names[] = [
  {
    language: 'en',
    woman: words('Charlotte, Imogen, Harriet, Grace, Olivia, Ruth, Eleanor, Hannah, Phoebe, Bethan, Niamh, Isla'),
    man: words('Oliver, Callum, Gareth, Edmund, Thomas, Rhys, Samuel, Duncan, Henry, Ewan, Patrick, Joel'),
    surnames: words(
      "Ashworth, Bennett, Carmichael, Davies, Fairclough, Gallagher, Holloway, Iremonger, Jenkins, Kirkbride, Langford, Murphy, Norwood, O'Donnell, Pemberton, Rowntree, Sinclair, Thackeray, Underhill, Whitcombe",
    ),
  },
  {
    language: 'de',
    woman: words('Annika, Birgit, Claudia, Franziska, Greta, Heike, Johanna, Käthe, Lena, Marlene, Sabine, Ulrike'),
    man: words('Andreas, Bernd, Christoph, Emil, Florian, Günter, Jörg, Konrad, Lukas, Matthias, Stefan, Uwe'),
    surnames: words(
      'Albrecht, Baumgärtner, Dietrich, Eberhardt, Fröhlich, Großmann, Hoffmann, Jäger, Krüger, Lindner, Müller, Neumann, Pfeiffer, Rösler, Schreiber, Thalheim, Vogel, Weißbach, Zimmermann, Brandt',
    ),
  },
  {
    language: 'pl',
    woman: words('Agnieszka, Beata, Dorota, Ewa, Grażyna, Iwona, Jadwiga, Katarzyna, Magdalena, Zofia'),
    man: words('Andrzej, Bartosz, Grzegorz, Jakub, Krzysztof, Łukasz, Michał, Paweł, Rafał, Tomasz'),
    surnames: words(
      'Adamczyk, Bąk, Dąbrowicz, Gajda, Jasiak, Kaczmarek, Kowalczyk, Łuczak, Mazur, Nowak, Pawlak, Sikora, Szymczak, Wójcik, Wróbel, Zając',
    ),
  },
  {
    language: 'es',
    woman: words('Adriana, Belén, Carmen, Daniela, Inés, Lucía, María José, Noelia, Pilar, Rocío, Soledad, Ximena'),
    man: words('Alejandro, Andrés, Diego, Emilio, Gonzalo, Héctor, Iker, Javier, Martín, Óscar, Rafael, Sebastián'),
    surnames: words(
      'Álvarez, Benítez, Castellanos, Domínguez, Echeverría, Fuentes, García Márquez, Herrera, Ibáñez, Jiménez, Núñez, Ortega, Peña, Quintana, Rojas, Salazar, Urrutia, Zamora',
    ),
  },
  {
    language: 'fr',
    woman: words('Amélie, Bérénice, Camille, Delphine, Élodie, Fanny, Gaëlle, Hélène, Léa, Mathilde, Océane, Solène'),
    man: words('Antoine, Benoît, Cédric, Étienne, François, Guillaume, Hugo, Jean-Luc, Loïc, Mathieu, Rémi, Théo'),
    surnames: words(
      'Aubert, Besson, Chevalier, Delacroix, Fontaine, Girard, Huet, Joubert, Lefèvre, Marchand, Noël, Perrin, Renaud, Sauvage, Tessier, Vasseur',
    ),
  },
  {
    language: 'pt',
    woman: words('Ana, Beatriz, Catarina, Filipa, Inês, Joana, Leonor, Mafalda, Rita, Sofia'),
    man: words('António, Bruno, Duarte, Fábio, Gonçalo, João, Luís, Nuno, Rui, Tiago'),
    surnames: words(
      'Almeida, Barbosa, Carvalho, Conceição, Esteves, Figueiredo, Gonçalves, Lourenço, Magalhães, Nóbrega, Pacheco, Queirós, Ribeiro, Simões, Teixeira, Vasconcelos',
    ),
  },
  {
    language: 'sv',
    woman: words('Astrid, Britta, Ebba, Elin, Frida, Ingrid, Karin, Maja, Saga, Åsa'),
    man: words('Anders, Björn, Erik, Gustav, Håkan, Lars, Magnus, Nils, Sören, Viktor'),
    surnames: words(
      'Åkesson, Bergström, Dahlgren, Ekdahl, Forsberg, Hallström, Lindqvist, Lövgren, Nyström, Öberg, Sandell, Sjögren, Söderlund, Wikander',
    ),
  },
  {
    language: 'it',
    woman: words('Alessia, Bianca, Chiara, Elisa, Federica, Giulia, Ilaria, Martina, Paola, Serena'),
    man: words('Alessandro, Davide, Enrico, Fabrizio, Giacomo, Lorenzo, Matteo, Niccolò, Pietro, Stefano'),
    surnames: words(
      "Amato, Bellini, Caruso, D'Angelo, De Santis, Esposito, Ferraro, Gallo, Leone, Mancini, Parisi, Ricciardi, Sorrentino, Vitale",
    ),
  },
  {
    language: 'tr',
    woman: words('Ayşe, Büşra, Defne, Elif, Gülşen, Nazlı, Özge, Selin, Şule, Zeynep'),
    man: words('Ahmet, Burak, Cem, Emre, Hakan, İbrahim, Kerem, Murat, Oğuz, Umut'),
    surnames: words('Acar, Aydın, Çelik, Demir, Erdoğdu, Güneş, Kılıç, Korkmaz, Öztürk, Polat, Şahin, Taşkın, Yıldız'),
  },
  {
    language: 'hi',
    woman: words('Aditi, Anjali, Deepika, Ishita, Kavya, Meera, Nandini, Pooja, Priya, Shreya'),
    man: words('Aditya, Arjun, Harish, Karthik, Manoj, Nikhil, Rahul, Rohan, Sanjay, Vikram'),
    surnames: words(
      'Agarwal, Banerjee, Chatterjee, Deshpande, Gupta, Iyer, Joshi, Kulkarni, Mehta, Nair, Patel, Rao, Sharma, Subramanian, Trivedi, Venkatesan',
    ),
  },
  {
    language: 'zh',
    woman: words('Hui, Jing, Lan, Li Na, Mei, Qian, Xiu Ying, Xue, Yan, Yu Ting'),
    man: words('Bo, Chao, Hao Ran, Jian, Jun, Lei, Ming, Peng, Wei, Zhi Qiang'),
    surnames: words('Cai, Chen, Deng, Fang, Guo, Han, Huang, Liang, Lin, Liu, Luo, Ma, Shen, Sun, Wang, Wu, Xu, Zhang, Zhao, Zhou'),
  },
  {
    language: 'ja',
    woman: words('Aiko, Emi, Haruka, Keiko, Mai, Naomi, Rin, Sakura, Yui, Yumi'),
    man: words('Daichi, Haruto, Hiroshi, Kaito, Kenji, Makoto, Ren, Ryō, Shin, Takumi'),
    surnames: words(
      'Abe, Fujimoto, Hayashi, Inoue, Itō, Kimura, Kobayashi, Matsuda, Mori, Nakamura, Ōkubo, Saitō, Sasaki, Takahashi, Yamada, Yoshida',
    ),
  },
  {
    language: 'sw',
    woman: words('Amani, Faraja, Grace, Imani, Neema, Njeri, Rehema, Subira, Wanjiru, Zawadi'),
    man: words('Baraka, Daudi, Jabari, Juma, Kamau, Kiprono, Mwangi, Omari, Otieno, Tumaini'),
    surnames: words(
      "Achieng, Chebet, Kariuki, Kibet, Kimani, Maina, Mutua, Mwakyusa, Ndung'u, Njoroge, Nyerere, Ochieng, Odhiambo, Wambui, Were",
    ),
  },
  {
    language: 'ar',
    woman: words('Aisha, Dalia, Fatima, Hanan, Leila, Mariam, Noor, Rania, Salma, Yasmin'),
    man: words('Ahmad, Bilal, Faisal, Hassan, Karim, Mahmoud, Omar, Rashid, Tariq, Youssef'),
    surnames: words('Abboud, Al-Masri, Bouzid, Darwish, El Amrani, Farouk, Haddad, Khalil, Mansour, Nasser, Qasim, Saleh, Tahan, Zidan'),
  },
];
